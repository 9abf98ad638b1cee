from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.web.requests import AccountRequest
from fitness.days import today
from fitness.web.shortcuts import get_page, redirect_back, uuid_or_none
from training.models import Routine, Workout
from training.models.routine import RoutineQuerySet
from training.plans import starters
from training.web.forms.planned import RoutineForm
from training.web.rules import RulesOnPage
from training.web.views.common import describe
from training.web.views.form_views import FormViews, Words


class RoutineFormViews(FormViews[Routine]):
    noun = "routine"
    create_url = "create-routine"
    words = Words(
        save=gettext_lazy("Save routine"),
        saved=gettext_lazy("Your routine is saved."),
        delete=gettext_lazy("Delete routine"),
        delete_warning=gettext_lazy("Workouts that were started from it stay. This cannot be undone."),
    )
    entry_template = "training/planned_entry.html"  # also of a plan's day
    form_class = RoutineForm

    def empty_form(self, request: AccountRequest) -> RoutineForm:
        """With what was done in a workout where the query names one."""
        workout = workout_of_query(request)
        return RoutineForm.lifted(request.user, workout) if workout else RoutineForm.blank(request.user)

    def stored_form(self, request: AccountRequest, instance: Routine) -> RoutineForm:
        form = RoutineForm.of(request.user, instance)
        if workout := workout_of_query(request):
            form.take_over(workout)
        return form


def workout_of_query(request: AccountRequest) -> Workout | None:
    workout_id = uuid_or_none(request.GET.get("workout", ""))
    return get_object_or_404(request.user.workouts, pk=workout_id) if workout_id else None


form_views = RoutineFormViews()


@login_required
def routines(request: AccountRequest) -> HttpResponse:
    page, next_cursor = get_page(request, RoutineQuerySet.newest_first, request.user.routines.all())
    context = {"routines": page, "next_cursor": next_cursor, "starters": starters.ROUTINES.values()}
    return render(request, "training/routines.html", context)


@login_required
@require_POST
def add_starter_routines(request: AccountRequest) -> HttpResponse:
    starter = starters.ROUTINES.get(request.POST.get("starter", ""))
    if starter is None:
        raise Http404
    starters.add_routines(request.user, starter)
    messages.success(
        request, _("“%(name)s” is among your routines. Change it as you like.") % {"name": starter.name}
    )
    return redirect_back(request, reverse("routines"))


@login_required
def routine(request: AccountRequest, pk: UUID) -> HttpResponse:
    routine = get_object_or_404(request.user.routines, pk=pk)
    (day,) = RulesOnPage(request.user, routine, today()).on_days(routine.schedule)
    describe(request.user, day["exercises"])
    return render(request, "training/routine.html", {"routine": routine, "exercises": day["exercises"]})
