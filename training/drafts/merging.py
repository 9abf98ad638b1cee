"""Brings two copies of a document together.

The head, each exercise and each set are compared on their own, and the later change of each is kept; what one
copy alone has stays. So of two devices that tick at once neither loses a tick. The order in which copies
arrive matters only where both have changed one thing in the same millisecond. A field that one copy alone has
stays, too: a page that was opened before an update leaves out what the update has added.
"""

from collections.abc import Callable, Sequence

from training.models.draft import DraftDocument, DraftExercise, Element


def merged(stored: DraftDocument, sent: DraftDocument) -> DraftDocument:
    """The stored document with what is newer in the one that was sent."""
    newer = sent if sent["changed_at"] > stored["changed_at"] else stored
    return {
        **stored,
        "title": newer["title"],
        "notes": newer["notes"],
        "changed_at": newer["changed_at"],
        "exercises": merged_lists(stored["exercises"], sent["exercises"], merged_exercise),
    }


def merged_exercise(stored: DraftExercise, sent: DraftExercise) -> DraftExercise:
    sets = merged_lists(stored["sets"], sent["sets"], newer_of)
    return {**newer_of(stored, sent), "sets": sets}


def newer_of(stored: Element, sent: Element) -> Element:
    """The one that was changed last, with the fields that the other one alone has."""
    older, newer = (stored, sent) if sent["changed_at"] > stored["changed_at"] else (sent, stored)
    return {**older, **newer}


def merged_lists(
    stored: Sequence[Element], sent: Sequence[Element], merge: Callable[[Element, Element], Element]
) -> list[Element]:
    theirs = {one["uid"]: one for one in sent}
    both = [merge(one, theirs.pop(one["uid"])) if one["uid"] in theirs else one for one in stored]
    return both + list(theirs.values())


def with_past_times(document: DraftDocument, now: str) -> DraftDocument:
    """The document without changes of the future: those of a clock that is ahead would win for as long."""
    return {
        **document,
        "changed_at": min(document["changed_at"], now),
        "exercises": [
            {
                **exercise,
                "changed_at": min(exercise["changed_at"], now),
                "sets": [{**one, "changed_at": min(one["changed_at"], now)} for one in exercise["sets"]],
            }
            for exercise in document["exercises"]
        ],
    }
