"""What the account's body uses a day: the card on Body, and what to eat for a change of the body weight.

Body's template includes it by a tag, as no app imports another one. The API has none of this.
"""

import datetime
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, begin_and_end, today
from fitness.web.shortcuts import render_form
from fitness.web.templatetags.units import whole
from nutrition.expenditure import MAX_DAYS, MIN_TARGET, Expenditure, Missing, expenditure
from nutrition.models import NutritionTargets
from nutrition.web.forms import RateForm, is_too_fast, too_fast

MAX_WEIGHTS = 1_000  # of MAX_DAYS; of more, the newest


class Target(NamedTuple):
    """What to eat a day for a change of the body weight, in kcal, or a sentence that refuses it."""

    kg_per_week: float
    kcal: float
    refusal: str
    is_set: bool  # as the target of a day of nutrition

    @property
    def change_kg(self) -> float:
        return abs(self.kg_per_week)

    @property
    def kcal_per_week(self) -> float:
        return 7 * self.kcal


@dataclass(frozen=True)
class Card:
    """What is missing or what is used, and where that is not rough what to eat."""

    missing: Missing | None = None
    use: Expenditure | None = None
    form: RateForm | None = None
    target: Target | None = None


def card_of(account: Account) -> Card | None:
    """The card as of today; None for somebody who logs neither body weights nor nutrition.

    Reads MAX_DAYS days, in three statements.
    """
    last = today()
    weights, intake = recent_weights(account, last), recent_intake(account, last)
    targets = account.nutrition_targets.first()
    if not (weights or intake):
        return None
    use = expenditure(weights, intake, last)
    if isinstance(use, Missing):
        return Card(missing=use)
    if use.is_rough:
        return Card(use=use)
    if targets is None or targets.kg_per_week is None:
        return Card(use=use, form=RateForm(account))
    target = target_of(use, targets.kg_per_week, weights[max(weights)], targets.calories)
    return Card(use=use, form=RateForm(account, stored=targets.kg_per_week), target=target)


def recent_weights(account: Account, last: datetime.date) -> dict[datetime.date, float]:
    """The last weight in kg of each day of the account's zone."""
    since, until = begin_and_end(last - ONE_DAY * MAX_DAYS, last)
    logs = account.weight_logs.logged(since, until).order_by("-logged_at", "-id")[:MAX_WEIGHTS]
    rows = list(logs.values_list("logged_at", "weight_kg"))[::-1]
    return {timezone.localdate(logged_at): weight_kg for logged_at, weight_kg in rows}


def recent_intake(account: Account, last: datetime.date) -> dict[datetime.date, float]:
    days = account.nutrition_days.between(last - ONE_DAY * MAX_DAYS, last).filter(is_complete=True)
    return dict(days.values_list("day", "calories"))


def target_of(use: Expenditure, kg_per_week: float, body_kg: float, calories: float | None) -> Target:
    kcal, refusal = use.target(kg_per_week), ""
    if is_too_fast(kg_per_week, body_kg):
        refusal = too_fast()
    elif kcal < MIN_TARGET:
        refusal = _("For this you would eat less than %(kcal)s kcal a day. Choose a slower change.") % {
            "kcal": whole(MIN_TARGET)
        }
    return Target(kg_per_week, kcal, refusal, calories == kcal)


@login_required
def set_rate(request: AccountRequest) -> HttpResponse:
    account = request.user
    targets = account.nutrition_targets.first()
    form = RateForm(account, request.POST or None, targets.kg_per_week if targets else None)
    if form.is_valid():
        NutritionTargets.objects.set_for(account, form.cleaned_data)
        return HttpResponseRedirect(f"{reverse('body')}#use")
    title = _("Change of your body weight")
    return render_form(request, form, title=title, cancel=reverse("body"))


@login_required
@require_POST
def set_target(request: AccountRequest) -> HttpResponse:
    """Sets the daily target to what the card shows now."""
    card = card_of(request.user)
    if card and card.target and not card.target.refusal:
        NutritionTargets.objects.set_for(request.user, {"calories": card.target.kcal})
        text = _("Your daily target is %(kcal)s kcal.") % {"kcal": whole(card.target.kcal)}
        messages.success(request, text)
    return redirect("body")
