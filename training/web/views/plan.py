from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import today
from fitness.web.days import format_short_day
from fitness.web.forms import NumberField
from fitness.web.shortcuts import get_page, next_address, redirect_back
from fitness.web.units import group_thousands, rounded, to_kg, to_unit
from training.api.serializers.plan import WEEKDAYS
from training.models import Exercise, Plan
from training.models.plan import PlanChange, PlanQuerySet
from training.models.planned import PlanDay
from training.models.sets import estimated_1rm_kg
from training.plans import sentence
from training.plans.loading import MAX_KG, WITHOUT_STEPS
from training.plans.plan_rules import Place, PlanWeek, Progression, with_target
from training.plans.program_plans import Record, activate, add_program, fitted_week, records
from training.plans.programs import EXAMPLE_MAXIMA_KG, PROGRAMS, Program
from training.plans.rearranging import carry_over
from training.plans.starters import catalogue_of
from training.plans.wording import local, then_in_words
from training.web.forms.planned import DayForm, PlanForm
from training.web.names import exercise_name, weekday_name
from training.web.rules import RuleLine, RulesOnPage, is_of_body
from training.web.views.common import describe
from training.web.views.form_views import FormViews, Words, render_rows

REPETITIONS = 5  # for which a program asks the weight
SHARE = 1 + REPETITIONS / 30  # of that weight is the maximum, by Epley's formula (1985)
ROUTINES = 100  # that a day can be filled from
EXERCISES_OF_DAY = 70  # shown of a plan's day, so that a week has under 500
# What the history says of changes that workouts made.
MOVED = {
    "progressed": gettext_lazy("Targets moved:"),
    "deloaded": gettext_lazy("Targets stepped down:"),
}


class ShortDay(PlanDay):
    """A day as the view of its plan shows it, with how many `more` exercises it has."""

    name: str
    more: int
    is_today: bool


class PlanFormViews(FormViews[Plan]):
    noun = "plan"
    create_url = "create-plan"
    words = Words(
        save=gettext_lazy("Save plan"),
        saved=gettext_lazy("Your plan is saved."),
        delete=gettext_lazy("Delete plan"),
        delete_warning=gettext_lazy(
            "Workouts that followed it stay, and keep its name. This cannot be undone."
        ),
    )
    form_class = PlanForm

    def remove(self, instance: Plan) -> None:
        instance.remove()

    def addresses(self, instance: Plan | None) -> dict[str, Any]:
        """The form has no rows."""
        if instance is None:
            return {"action": reverse("create-plan"), "save": self.words.save}
        action = reverse("edit-plan", args=[instance.pk])
        return {"plan": instance, "action": action, "save": _("Save changes")}


form_views = PlanFormViews()


@login_required
def edit_day(request: AccountRequest, pk: UUID, weekday: int) -> HttpResponse:
    """With `train` in the query, a day of rest is shown as one of training."""
    plan = plan_with_day(request, pk, weekday)
    if request.method != "POST":
        form = DayForm.stored(plan, weekday)
        if "train" in request.GET:
            form.texts["rest"] = ""
        return render_day_form(request, form)
    form = DayForm.sent(plan, weekday, request.POST)
    if not (form.is_valid() and form.save()):
        return render_day_form(request, form)
    messages.success(request, form.saved_text)
    return redirect(f"{reverse('plan', args=[pk])}#day-{form.to}")


@login_required
@require_POST
def day_rows(request: AccountRequest, pk: UUID, weekday: int) -> HttpResponse:
    form = DayForm.sent(plan_with_day(request, pk, weekday), weekday, request.POST)
    form.rearrange(request.POST)
    return render_day_form(request, form)


def plan_with_day(request: AccountRequest, pk: UUID, weekday: int) -> Plan:
    if weekday not in WEEKDAYS:
        raise Http404
    plan: Plan = get_object_or_404(request.user.plans, pk=pk)
    return plan


def render_day_form(request: AccountRequest, form: DayForm) -> HttpResponse:
    place = [form.plan.pk, form.weekday]
    context = {
        "plan": form.plan,
        "action": reverse("edit-plan-day", args=place),
        "rows": reverse("plan-day-rows", args=place),
        "save": _("Save day"),
        "routines": request.user.routines.names()[:ROUTINES],
    }
    return render_rows(request, "training/plan_day_form.html", form, context)


@login_required
def plans(request: AccountRequest) -> HttpResponse:
    page, next_cursor = get_page(request, PlanQuerySet.newest_first, request.user.plans.all())
    context = {"plans": page, "next_cursor": next_cursor, "programs": PROGRAMS.values()}
    return render(request, "training/plans.html", context)


@login_required
def plan(request: AccountRequest, pk: UUID) -> HttpResponse:
    plan = get_object_or_404(request.user.plans, pk=pk)
    rules, weekday = RulesOnPage(request.user, plan, today()), today().isoweekday() if plan.active else 0
    context = {
        "plan": plan,
        "days": rules.on_days([shortened(day, weekday) for day in plan.days], brief=True),
        "history": [shown_change(entry) for entry in reversed(plan.history)],
        "sentences": rules.sentences(),
        "lighter_weeks": rules.lighter_weeks,
    }
    return render(request, "training/plan.html", context)


@login_required
def plan_day(request: AccountRequest, pk: UUID, weekday: int) -> HttpResponse:
    """One day with all of its exercises, where the view of its plan shows a part."""
    plan = plan_with_day(request, pk, weekday)
    rules = RulesOnPage(request.user, plan, today())
    (day,) = rules.on_days([plan.days[weekday - 1]])
    describe(request.user, day["exercises"])
    context = {"plan": plan, "day": day, "name": weekday_name(weekday), "lighter_weeks": rules.lighter_weeks}
    return render(request, "training/plan_day.html", context)


def shown_change(entry: PlanChange) -> dict[str, Any]:
    """A change of the history; of one that a workout made, the targets that moved are `lines`."""
    moved = MOVED.get(entry["kind"], "")
    lines = entry["detail"].removesuffix(".").split("; ") if moved else []
    return {**entry, "at": parse_datetime(entry["at"]), "moved": moved, "lines": lines}


def shortened(day: PlanDay, today: int) -> ShortDay:
    exercises = day["exercises"][:EXERCISES_OF_DAY]
    more = len(day["exercises"]) - len(exercises)
    name, is_today = weekday_name(day["weekday"]), day["weekday"] == today
    return {**day, "name": name, "exercises": exercises, "more": more, "is_today": is_today}


@login_required
@require_POST
def activate_plan(request: AccountRequest, pk: UUID) -> HttpResponse:
    plan = get_object_or_404(request.user.plans, pk=pk)
    activate(plan)
    messages.success(request, _("“%(name)s” is your active plan.") % {"name": plan.name})
    return redirect("plan", pk)


@login_required
def start_program(request: AccountRequest, key: str) -> HttpResponse:
    """Shows the week, asks what somebody lifts, with their records filled in, and adds it as a plan."""
    program = PROGRAMS.get(key)
    if program is None:
        raise Http404
    catalogue = catalogue_of(program.days.values())
    exercises = [catalogue[pk] for pk in program.weighted if pk in catalogue]
    entered = request.POST if request.method == "POST" else None
    found = records(request.user, [exercise.pk for exercise in exercises])
    form = LiftsForm(exercises, found, request.user.units, entered)
    if not form.is_valid():
        context = {
            "program": program,
            "days": example_week(request.user, program, found),
            "form": form,
            "next": next_address(request, ""),
        }
        return render(request, "training/start_program.html", context)
    plan = add_program(request.user, program, form.maxima_kg)
    said = (
        _("“%(name)s” is among your plans and is active. Change it as you like.")
        if plan.active
        else _("“%(name)s” is among your plans. Change it as you like.")
    )
    messages.success(request, said % {"name": plan.name})
    return redirect_back(request, reverse("plan", args=[plan.pk]))


def example_week(account: Account, program: Program, records: Mapping[str, Record]) -> list[dict[str, Any]]:
    """The days of training in the order of the program, on the weekdays that they have if it is begun today.

    Weights are from somebody's records where they have some.
    """
    maxima_kg = EXAMPLE_MAXIMA_KG | {pk: record.maximum_kg for pk, record in records.items()}
    begun = program.begun_on(today().isoweekday())
    days, rules = fitted_week(begun, maxima_kg, account.units)
    week, lines = PlanWeek.of(account, days), dict[Place, dict[str, Any]]()
    own_rules = {place: rule for place, (_, rule) in rules.items()}
    for one in carry_over(week, own_rules, Progression(), timezone.now()):
        loading = week.loading(one)
        for place, target in week.targets(one).items():
            entry = with_target(week.by_place[place], target)
            has_load = not target.is_weightless or is_of_body(entry)
            then = then_in_words(one.rule, one.state, target, loading) if has_load else ""
            lines[place] = {**entry, "rule": RuleLine(sentence(one.rule, loading), "", now=then)}
    return [
        {
            **day,
            "name": weekday_name(day["weekday"]),
            "exercises": [
                lines.get(Place(day["weekday"], position), entry)
                for position, entry in enumerate(day["exercises"])
            ],
        }
        for day in (days[weekday - 1] for weekday in begun.days)
    ]


class LiftsForm(forms.Form):
    """For each exercise with weight, what somebody could lift five times, in the unit of the account.

    Where there is a record, it is filled in.
    """

    def __init__(
        self, exercises: Iterable[Exercise], records: Mapping[str, Record], unit: str, *args: Any
    ) -> None:
        super().__init__(*args)
        self.unit = unit
        for exercise in exercises:
            self.fields[exercise.pk] = self.weight_field(exercise, records.get(exercise.pk))

    def weight_field(self, exercise: Exercise, record: Record | None) -> NumberField:
        name, limit = exercise_name(exercise.name), to_unit(MAX_KG, self.unit)
        if exercise.equipment in WITHOUT_STEPS:
            name = _("%(exercise)s, added weight") % {"exercise": name}
        message = _("Enter a weight from 0 to %(limit)s %(unit)s, or nothing.") % {
            "limit": group_thousands(int(limit)),
            "unit": self.unit,
        }
        initial, source = None, ""
        if record:
            # To half a unit: estimates are not more exact.
            value = rounded(to_unit(record.maximum_kg / SHARE, self.unit), 2)
            initial = int(value) if value == int(value) else value
            source = _("From your %(weight)s × %(reps)s on %(day)s.") % {
                "weight": f"{local(to_unit(record.weight_kg, self.unit))} {self.unit}",
                "reps": record.reps,
                "day": format_short_day(timezone.localtime(record.at)),
            }
        return NumberField(
            label=f"{name} ({self.unit})",
            required=False,
            min_value=0,
            max_value=limit,
            initial=initial,
            help_text=source,
            widget=forms.TextInput(attrs={"class": "input", "inputmode": "decimal"}),
            error_messages={"invalid": message, "min_value": message, "max_value": message},
        )

    @property
    def maxima_kg(self) -> dict[str, float]:
        """The estimated maximum of each exercise that was answered."""
        return {
            pk: estimated_1rm_kg(to_kg(value, self.unit), REPETITIONS)
            for pk, value in self.cleaned_data.items()
            if value
        }
