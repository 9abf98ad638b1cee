"""What the screens of workouts, routines and plans share."""

from django.shortcuts import render

from training import stats
from training.models import Exercise


def form_page(request, template, form, rows, save="Save", **context):
    """The page of a form, at its first showing, after a change of its rows, or with its errors.

    `rows` is the address that its buttons for rows go to, `save` what the button to save says.
    """
    context = {**context, "form": form, "rows": rows, "save": save}
    lists = form.lists()
    describe(request.user, [entry for entries in lists.values() for entry in entries])
    if (name := request.POST.get("search")) in lists:
        search = request.POST.get(f"{name}-search", "").replace("\0", "")
        found = Exercise.objects.search(search).order_by("rank", "name")[:SUGGESTIONS]
        context.update(searched=name, search=search, found=list(found))
    response = render(request, template, context)
    response.headers["Cache-Control"] = "no-store"  # Back asks for a form with an id of its own
    return response


SUGGESTIONS = 8


def describe(account, entries):
    """Adds the Exercise and the account's last session with it to the entries of a form."""
    ids = {entry["exercise_id"] for entry in entries}
    catalogue = Exercise.objects.in_bulk(ids)
    last = stats.last_sessions(account, catalogue)
    for entry in entries:
        entry["exercise"] = catalogue.get(entry["exercise_id"])
        entry["last"] = last.get(entry["exercise_id"])
