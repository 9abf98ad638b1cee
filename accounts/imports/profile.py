"""The profile of an archive, which fills what is empty in the account's."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, cast

from django.core.exceptions import ValidationError as InvalidValue
from django.db.models import Field
from django.utils.translation import gettext_noop, ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.api.serializers import ProfileSerializer
from accounts.imports.archived import Archived, Document, Place, digest_of
from accounts.imports.kinds import Context, Kind, Record, Stored
from accounts.models import Account
from fitness.api.serializers import Values
from fitness.imports.findings import Findings, Rows
from fitness.imports.formats import Candidate
from fitness.imports.sentences import sentence

EMPTY = {  # what a field has until something is chosen
    "display_name": "",
    "height_cm": None,
    "birth_date": None,
    "gender": None,
    "goal": Account.TrainingGoal.MAINTAIN,
}
HASH_LENGTH = 8
LEFT_OUT = sentence(gettext_noop("is left out: %(problem)s"))


class ProfileKind(Kind):
    name = "profile"
    label = "profiles"
    numbered = ngettext_lazy("%(number)s profile", "%(number)s profiles", "count")

    def maker(self, context: Context) -> Callable[[Candidate, Findings], Record | None]:
        def make(candidate: Candidate, findings: Findings) -> Record | None:
            values = valid_values(candidate.payload["document"], Place("profile", candidate, findings))
            return Record(Archived(candidate.key, values), digest_of(values), Rows(records=1))

        return make

    def matching(
        self, account: Account, records: Sequence[Record], taken: Collection[str] = ()
    ) -> list[str | None]:
        """A profile is there if it would fill nothing."""
        stored = stored_values(account)
        fills = [missing(record.values.values, stored) for record in records]
        return [None if filled else str(account.pk) for filled in fills]

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        return [""] * len(records)

    def store(self, account: Account, records: Sequence[Record]) -> list[Stored]:
        """Fills what is empty. The fingerprint has the number of each filled field, and a hash of it."""
        stored, results = stored_values(account), []
        filled: Values = {}
        for record in records:
            fills = missing(record.values.values, stored)
            filled |= fills
            stored |= fills
            results.append(Stored(str(account.pk), " ".join(mark(name, fills[name]) for name in fills)))
        Account.objects.filter(pk=account.pk).update(**filled)
        return results

    def remove(self, account: Account, stored: Sequence[Stored], *, changed_too: bool) -> list[bool]:
        """Empties what an import has filled. What somebody has changed since stays, whatever is asked."""
        values = stored_values(account)
        marks = {mark(name, value): name for name, value in values.items()}
        of_each = [one.fingerprint.split() for one in stored]
        filled = {marks[one] for some in of_each for one in some if one in marks}
        Account.objects.filter(pk=account.pk).update(**{name: EMPTY[name] for name in filled})
        return [changed_too or all(one in marks for one in some) for some in of_each]


def valid_values(document: Document, place: Place) -> Values:
    """The values of a profile that are not empty, as the form of the settings accepts them."""
    values = {}
    for name in EMPTY:
        if (value := document.get(name)) is None:
            continue
        try:
            read = ProfileSerializer.shared().fields[name].run_validation(value)
            values[name] = cast("Field[Any, Any]", Account._meta.get_field(name)).clean(read, None)
        except (ValidationError, InvalidValue) as error:
            place.change(name, LEFT_OUT % {"problem": reason(error)})
    return values


def reason(error: ValidationError | InvalidValue) -> str:
    """The first message of an error of Django or of the API."""
    messages = error.messages if isinstance(error, InvalidValue) else cast(list[str], error.detail)
    return str(messages[0])


def stored_values(account: Account) -> Values:
    values: Values = Account.objects.filter(pk=account.pk).values(*EMPTY).get()
    return values


def missing(values: Values, stored: Values) -> Values:
    """Those of the values that the stored profile lacks."""
    return {
        name: value for name, value in values.items() if stored[name] == EMPTY[name] and value != EMPTY[name]
    }


def mark(name: str, value: Any) -> str:
    return f"{list(EMPTY).index(name)}:{digest_of(value)[:HASH_LENGTH]}"
