"""The rules of a plan: all of them in a list, the form for one, and how often a week is lighter.

An instance of RuleViews has the views as methods. The account's manager, `plans`, and the addresses are named
after the `noun`: plan-rules, plan-rule, preview-plan-rule, copy-plan-rule, remove-plan-rule,
reset-plan-rule, plan-deloads.
"""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy, pgettext
from django.views.decorators.http import require_POST

from accounts.web.requests import AccountRequest
from fitness.days import today
from fitness.web.forms import NumberField, StyledFormMixin
from training.models.planning import Planning
from training.plans.plan_rules import ROUTINE_DAY, Place
from training.plans.program_plans import target_from_records
from training.web.forms.rule import PRESETS, RuleForm
from training.web.names import weekday_name
from training.web.rules import (
    RulesOnPage,
    candidate,
    entries_for_rules,
    explained,
    forecast,
    replay,
    steps_of_rule,
)


def deload_choices() -> list[tuple[str | int, str]]:
    every = (
        (weeks, ngettext("Every %(weeks)s weeks", "Every %(weeks)s weeks", weeks)) for weeks in range(4, 13)
    )
    return [
        ("", pgettext("deload weeks", "None")),
        *((weeks, text % {"weeks": weeks}) for weeks, text in every),
    ]


class DeloadForm(StyledFormMixin, forms.Form):
    every = forms.TypedChoiceField(
        label=gettext_lazy("Deload weeks"),
        required=False,
        coerce=int,
        empty_value=None,
        choices=deload_choices,
    )
    percent = NumberField(
        label=gettext_lazy("Weights in it, in %"),
        min_value=30,
        max_value=100,
    )


class RuleViews:
    def __init__(self, noun: str, all_have: Promise) -> None:
        """`all_have` is said once `count` exercises have a rule."""
        self.noun, self.all_have = noun, all_have

    @method_decorator(login_required)
    def rules(self, request: AccountRequest, pk: UUID) -> HttpResponse:
        """All entries that can have a rule, each with its own."""
        plan = self.get_object(request, pk)
        page = RulesOnPage(request.user, plan, today())
        lines = page.lines()
        rows = [
            {
                "entry": entry,
                "day": self.day_name(place),
                "line": lines.get(place),
                "address": page.address(place),
            }
            for place, entry in entries_for_rules(request.user, plan.week).items()
        ]
        context = {"rows": rows, "lighter_weeks": page.lighter_weeks, "ended": page.ended()}
        return self.render(request, "rules", plan, context)

    @method_decorator(login_required)
    def rule(self, request: AccountRequest, pk: UUID, weekday: int, position: int) -> HttpResponse:
        place = Place(weekday, position)
        if request.method == "POST":
            return self.store(request, pk, place, to_all=False)
        plan = self.get_with_entry(request, pk, place)
        kind, preset = request.GET.get("kind", ""), request.GET.get("preset", "")
        form = RuleForm.of(request.user, plan, place, kind, preset)
        if place in form.former and not kind:
            return self.render_rule(request, form)
        return self.render_form(request, form)

    @method_decorator([login_required, require_POST])
    def preview(self, request: AccountRequest, pk: UUID, weekday: int, position: int) -> HttpResponse:
        """The form with what its rule would do. Nothing is stored."""
        place = Place(weekday, position)
        form = RuleForm.posted(request.user, self.get_with_entry(request, pk, place), place, request.POST)
        return self.render_form(request, form)

    @method_decorator([login_required, require_POST])
    def copy(self, request: AccountRequest, pk: UUID, weekday: int, position: int) -> HttpResponse:
        """The same rule for all exercises."""
        return self.store(request, pk, Place(weekday, position), to_all=True)

    @method_decorator([login_required, require_POST])
    def remove(self, request: AccountRequest, pk: UUID, weekday: int, position: int) -> HttpResponse:
        with transaction.atomic():
            request.user.lock()
            plan = self.get_object(request, pk)
            values = plan.progression_values
            values["rules"].pop(Place(weekday, position), None)
            plan.adapt(values)
        messages.success(request, _("The rule is removed; the target stays as it is."))
        return redirect(f"{self.noun}-rules", pk)

    @method_decorator([login_required, require_POST])
    def reset(self, request: AccountRequest, pk: UUID, weekday: int, position: int) -> HttpResponse:
        """Begins anew from the account's record with the exercise."""
        place = Place(weekday, position)
        with transaction.atomic():
            request.user.lock()
            plan = self.get_with_entry(request, pk, place)
            if place not in plan.progressions.places:
                raise Http404
            one, rule = plan.progressions.places[place]
            target = target_from_records(request.user, plan.week.by_place[place], one, rule)
            if target:
                plan.set_target(place, target)
        if target:
            messages.success(request, _("The target is set from your record."))
        else:
            messages.error(request, _("You have no record with this exercise yet."))
        return redirect(self.noun, pk)

    @method_decorator(login_required)
    def deloads(self, request: AccountRequest, pk: UUID) -> HttpResponse:
        plan = self.get_object(request, pk)
        stored = plan.progressions
        initial = {"every": stored.deload_every, "percent": f"{stored.deload_percent:g}"}
        form = DeloadForm(request.POST if request.method == "POST" else None, initial=initial)
        if not form.is_valid():
            return self.render(request, "deloads", plan, {"form": form})
        with transaction.atomic():
            request.user.lock()
            plan = self.get_object(request, pk)
            every, percent = form.cleaned_data["every"], form.cleaned_data["percent"]
            plan.adapt({**plan.progression_values, "deload_every": every, "deload_percent": percent})
        messages.success(request, _("The deload weeks are saved."))
        return redirect(self.noun, pk)

    def store(self, request: AccountRequest, pk: UUID, place: Place, *, to_all: bool) -> HttpResponse:
        """Stores the rules of a form beside all others, which are read under the account's lock."""
        with transaction.atomic():
            request.user.lock()
            form = RuleForm.posted(request.user, self.get_with_entry(request, pk, place), place, request.POST)
            is_valid = form.is_valid_for_all() if to_all else form.is_valid()
            if is_valid:
                form.plan.adapt(form.values)
        if not is_valid:
            return self.render_form(request, form)
        count = len(form.values["rules"])
        said = str(self.all_have % {"count": count}) if to_all else _("The rule is saved.")
        messages.success(request, said)
        return redirect(self.noun, pk)

    def get_object(self, request: AccountRequest, pk: UUID) -> Any:
        plan = get_object_or_404(getattr(request.user, f"{self.noun}s"), pk=pk)
        plan.account = request.user
        return plan

    def get_with_entry(self, request: AccountRequest, pk: UUID, place: Place) -> Any:
        """The plan, if it has an entry at the place that can have a rule."""
        plan = self.get_object(request, pk)
        if place not in entries_for_rules(request.user, plan.week):
            raise Http404
        return plan

    def render_rule(self, request: AccountRequest, form: RuleForm) -> HttpResponse:
        """The stored rule, what it did and what it will do."""
        plan, place = form.plan, form.place
        one, _ = plan.progressions.places[place]
        context = {
            "explained": explained(plan, place),
            "remove": self.to("remove-{}-rule", plan.pk, *place),
            "reset": self.to("reset-{}-rule", plan.pk, *place),
            "steps": steps_of_rule(request.user, plan, place),
            "forecast": forecast(plan, plan.week, one),
        }
        return self.render_entry(request, "rule", form, context)

    def render_form(self, request: AccountRequest, form: RuleForm) -> HttpResponse:
        """The choice of a rule, with what it would do."""
        pk, place = form.plan.pk, form.place
        context: dict[str, Any] = {
            "has_rule": place in form.former,
            "presets": [(key, name) for key, (name, _) in PRESETS.items()] if form.kind == "stages" else [],
            "preview": self.to("preview-{}-rule", pk, *place),
            "copy": self.to("copy-{}-rule", pk, *place),
        }
        if not form.errors and form.is_valid():
            rules = {place: rule for place, (_, rule) in form.values["rules"].items()}
            week, one = candidate(form.plan, rules, place)
            context |= {
                "forecast": forecast(form.plan, week, one),
                "replay": replay(request.user, form.plan, week, one),
            }
        return self.render_entry(request, "rule_form", form, context)

    def render_entry(
        self, request: AccountRequest, template: str, form: RuleForm, context: dict[str, Any]
    ) -> HttpResponse:
        plan, place = form.plan, form.place
        (kind,) = (kind for kind in form.kinds if kind.name == form.kind)
        entry = {
            "form": form,
            "kind": kind,
            "day": self.day_name(place),
            "action": self.to("{}-rule", plan.pk, *place),
        }
        return self.render(request, template, plan, {**entry, **context})

    def render(
        self, request: AccountRequest, template: str, plan: Planning, context: dict[str, Any]
    ) -> HttpResponse:
        addresses = {"back": self.to("{}", plan.pk), "all_rules": self.to("{}-rules", plan.pk)}
        return render(
            request, f"training/{template}.html", {"plan": plan, "noun": self.noun, **addresses, **context}
        )

    def day_name(self, place: Place) -> str:
        return "" if place.weekday == ROUTINE_DAY else weekday_name(place.weekday)

    def to(self, name: str, *arguments: Any) -> str:
        return reverse(name.format(self.noun), args=arguments)


plan_rules = RuleViews(
    "plan",
    ngettext_lazy(
        "%(count)s exercises of the plan have a rule now.",
        "%(count)s exercises of the plan have a rule now.",
        "count",
    ),
)
routine_rules = RuleViews(
    "routine",
    ngettext_lazy(
        "%(count)s exercises of the routine have a rule now.",
        "%(count)s exercises of the routine have a rule now.",
        "count",
    ),
)
