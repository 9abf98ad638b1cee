"""What the screens of workouts, routines and plans share."""

from django.shortcuts import render

from accounts.models import Account
from training import stats
from training.models import Exercise
from training.models.exercise import ExerciseQuerySet
from training.web.forms.base import MAX_ROWS

SUGGESTIONS = 8


def form_page(request, template, form, rows, save="Save", **context):
    """The page of a form, at its first showing, after a change of its rows, or with its errors.

    `rows` is the address that its buttons for rows go to, `save` what the button to save says. In the place
    of a form that is too long comes a page that says so.
    """
    if form.is_too_long:
        return render(request, "training/too_long.html", {"most": MAX_ROWS})
    context = {**context, "form": form, "rows": rows, "save": save}
    lists = form.lists()
    describe(request.user, [entry for entries in lists.values() for entry in entries])
    if (name := request.POST.get("search")) in lists:
        search = request.POST.get(f"{name}-search", "")
        context.update(searched=name, search=search, **suggested(request.user, search))
    response = render(request, template, context)
    response.headers["Cache-Control"] = "no-store"  # Back asks for a form with an id of its own
    return response


def suggested(account: Account, search: str) -> dict[str, list]:
    """The first exercises that a search finds, in the order of the API, or the nearest if there are none."""
    search = search.replace("\0", "")[:200]
    matches = Exercise.objects.search(search, account)
    found = list(ExerciseQuerySet.best_first.cut(matches, None, SUGGESTIONS))
    return {"found": found, "nearest": [] if found else Exercise.objects.nearest(search)}


def describe(account, entries):
    """Adds the Exercise and the account's last session with it to the entries of a form."""
    ids = {entry["exercise_id"] for entry in entries}
    catalogue = Exercise.objects.in_bulk(ids)
    last = stats.last_sessions(account, catalogue)
    for entry in entries:
        entry["exercise"] = catalogue.get(entry["exercise_id"])
        entry["last"] = last.get(entry["exercise_id"])
