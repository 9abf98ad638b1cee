"""What the screens of workouts, routines and plans share."""

from django.db.models import Exists, OuterRef
from django.shortcuts import render

from training import stats
from training.forms.base import MOST_ROWS
from training.models import Exercise

SUGGESTIONS = 8


def form_page(request, template, form, rows, save="Save", **context):
    """The page of a form, at its first showing, after a change of its rows, or with its errors.

    `rows` is the address that its buttons for rows go to, `save` what the button to save says. In the place
    of a form that is too long comes a page that says so.
    """
    if form.is_too_long:
        return render(request, "training/too_long.html", {"most": MOST_ROWS})
    context = {**context, "form": form, "rows": rows, "save": save}
    lists = form.lists()
    describe(request.user, [entry for entries in lists.values() for entry in entries])
    if (name := request.POST.get("search")) in lists:
        search = request.POST.get(f"{name}-search", "")
        context.update(searched=name, search=search, found=suggested(request.user, search))
    response = render(request, template, context)
    response.headers["Cache-Control"] = "no-store"  # Back asks for a form with an id of its own
    return response


def suggested(account, search):
    """The first exercises that a search finds: those that the account has done, then as the API has them."""
    done = Exists(account.workout_exercises.sessions_with(OuterRef("pk")))
    found = Exercise.objects.search(search.replace("\0", "")[:200]).annotate(done=done)
    return list(found.order_by("-done", "rank", "name")[:SUGGESTIONS])


def describe(account, entries):
    """Adds the Exercise and the account's last session with it to the entries of a form."""
    ids = {entry["exercise_id"] for entry in entries}
    catalogue = Exercise.objects.in_bulk(ids)
    last = stats.last_sessions(account, catalogue)
    for entry in entries:
        entry["exercise"] = catalogue.get(entry["exercise_id"])
        entry["last"] = last.get(entry["exercise_id"])
