"""What the pages of an import ask: the file, what the file does not say, and unknown names."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast
from zoneinfo import ZoneInfo

from django import forms
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.imports.kinds import Answers
from accounts.imports.models import ImportRun
from accounts.models import Account
from fitness.imports.findings import Ask
from fitness.web.forms import StyledFormMixin
from fitness.web.local_time import known_zone, zone_choices
from fitness.web.units import KG_PER_POUND, in_local_form
from training.models import ExerciseName
from training.models.exercise import Equipment, MuscleGroup
from training.web.forms.own_exercise import Offer, offered_for
from training.web.names import exercise_name
from training.web.views.common import suggested

OWN = "own"  # to make an exercise of the account's own of a name
NOTE, LEAVE_OUT = ExerciseName.Fate.NOTE.value, ExerciseName.Fate.LEAVE_OUT.value


class FileForm(StyledFormMixin, forms.Form):
    """The file, and the zone of the browser, which its script fills in."""

    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,.json,.zip"}),
        error_messages={"empty": _("This file is empty."), "required": _("Choose a file.")},
    )
    time_zone = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(attrs={"data-time-zone": ""})
    )

    def answers(self, account: Account) -> Answers:
        """What is supposed until somebody says otherwise."""
        zone = account.time_zone or known_zone(self.cleaned_data["time_zone"]) or "UTC"
        return Answers(ZoneInfo(zone), account.units)


class AnswersForm(StyledFormMixin, forms.Form):
    """What the file does not say. Where an answer is missing, the one before stays."""

    time_zone = forms.ChoiceField(
        label=_("Time zone"), help_text=_("The file has local times, and not where.")
    )
    unit = forms.ChoiceField(label=_("Weights are in"), widget=forms.RadioSelect)
    day_first = forms.ChoiceField(
        label=_("Dates are written"),
        choices=[("True", _("day first: 04/05 is 4 May")), ("False", _("month first: 04/05 is 5 April"))],
        widget=forms.RadioSelect,
    )

    def __init__(self, run: ImportRun, data: QueryDict | None = None) -> None:
        self.run = run
        reading = run.report["reading"]
        said = {"time_zone": run.time_zone, "unit": run.unit, "day_first": str(run.day_first)}
        super().__init__(None if data is None else {**said, **data.dict()}, initial=said)
        cast(forms.ChoiceField, self.fields["time_zone"]).choices = zone_choices()
        cast(forms.ChoiceField, self.fields["unit"]).choices = unit_choices(reading["heaviest"])
        for name, ask in (("time_zone", Ask.TIMEZONE), ("unit", Ask.UNIT), ("day_first", Ask.DAY_FIRST)):
            if ask not in reading["asks"]:
                del self.fields[name]

    def answers(self) -> Answers:
        run, said = self.run, self.cleaned_data
        return Answers(
            zone=ZoneInfo(said.get("time_zone", run.time_zone)),
            unit=said.get("unit", run.unit),
            day_first=said.get("day_first", str(run.day_first)) == "True",
        )


def unit_choices(heaviest: float) -> list[tuple[str, str]]:
    """The two units, with what the heaviest weight of the file is in each."""
    in_kg = f"{round(heaviest * KG_PER_POUND, 1):g}"
    weights = {"heaviest": in_local_form(f"{heaviest:g}"), "in_kg": in_local_form(in_kg)}
    return [
        ("kg", gettext("kg: the heaviest is %(heaviest)s kg") % weights),
        ("lb", gettext("lb: the heaviest is %(heaviest)s lb, %(in_kg)s kg") % weights),
    ]


@dataclass
class NameChoice:
    """An unknown name with what may become of it."""

    name: str
    sets: int | None
    options: list[tuple[str, str]]
    chosen: str
    search: str = ""
    nothing_found: bool = False

    @property
    def field(self) -> str:
        """The name of its field: the same however many names there are, for a page that is sent again."""
        return f"name-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    def sent(self, post: Mapping[str, str]) -> str:
        """What was chosen; one button makes all that would be notes exercises of the account's own."""
        chosen = post.get(self.field, self.chosen)
        if not self.offer:  # its options have no OWN
            return NOTE if chosen == OWN else chosen
        return OWN if chosen == NOTE and "own_all" in post else chosen

    @cached_property
    def offer(self) -> Offer | None:
        return offered_for(self.name)

    def own_values(self, post: Mapping[str, str]) -> tuple[str, str]:
        """The (muscle group, equipment) that were chosen for an own exercise, or those of the offer."""
        assert self.offer is not None
        group, equipment = (post.get(f"{self.field}-{name}", "") for name in ("muscle_group", "equipment"))
        return (
            group if group in MuscleGroup else self.offer.muscle_group,
            equipment if equipment in Equipment else self.offer.equipment,
        )


def name_choices(run: ImportRun) -> list[NameChoice]:
    """The names of the run that the catalogue does not know, with what was chosen for them."""
    stored = run.account.exercise_names.filter(source=run.source).select_related("exercise")
    chosen = {name.name: name for name in stored}
    unknown = {one["name"]: one for one in run.report["unknown_names"]}
    names = [*unknown, *(name for name in run.report["chosen_names"] if name not in unknown)]
    return [name_choice(name, unknown.get(name), chosen.get(name)) for name in names]


def name_choice(name: str, unknown: Mapping[str, Any] | None, chosen: ExerciseName | None) -> NameChoice:
    options = [(NOTE, gettext("Keep as a note")), (LEAVE_OUT, gettext("Leave out"))]
    if offered_for(name):
        options.append((OWN, gettext("Make it an exercise of your own")))
    if unknown:
        options += [(one["id"], exercise_name(one["name"])) for one in unknown["suggestions"]]
    value = (chosen.exercise_id or chosen.fate) if chosen else NOTE
    if chosen and chosen.exercise and value not in dict(options):
        options.append((value, exercise_name(chosen.exercise.name)))
    return NameChoice(name, unknown["sets"] if unknown else None, options, value)


def with_search(account: Account, names: list[NameChoice], sent: Mapping[str, str]) -> list[NameChoice]:
    """The names as they were sent, with what somebody has searched for as options of one of them."""
    for one in names:
        one.chosen = sent.get(one.field, one.chosen)
        if one.chosen == OWN and one.offer:
            group, equipment = one.own_values(sent)
            one.offer = replace(one.offer, muscle_group=group, equipment=equipment)
        one.search = sent.get(f"{one.field}-search", "")
        if sent.get("search") == one.field:
            found = suggested(account, one.search)["found"]
            known = dict(one.options)
            one.options += [
                (exercise.pk, exercise_name(exercise.name)) for exercise in found if exercise.pk not in known
            ]
            one.nothing_found = not found
    return names
