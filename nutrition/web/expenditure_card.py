"""What the account's body uses a day: the card on Body and under the targets, and what to eat for a change
of the body weight.

Body's template includes it by a tag, as no app imports another one. The API has none of this.
"""

import datetime
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.days import ONE_DAY, begin_and_end, today
from fitness.web.shortcuts import redirect_back
from fitness.web.templatetags.units import whole
from nutrition.expenditure import MAX_DAYS, MIN_TARGET, Expenditure, Missing, expenditure
from nutrition.models import NutritionTargets

MAX_WEIGHTS = 1_000  # of MAX_DAYS; of more, the newest


class Card(NamedTuple):
    """What is missing or what is used, and what to eat a day for the chosen change of the body weight."""

    missing: Missing | None = None
    use: Expenditure | None = None
    targets: NutritionTargets | None = None
    least_kcal: float = MIN_TARGET  # no less is suggested

    @property
    def kcal(self) -> float | None:
        """None where no change is chosen, or what is used is not known well enough."""
        rate = self.targets.kg_per_week if self.targets else None
        if self.use is None or self.use.is_rough or rate is None:
            return None
        return self.use.target(rate)

    @property
    def kcal_per_week(self) -> float:
        return 7 * (self.kcal or 0.0)

    @property
    def change_kg(self) -> float:
        return abs(self.targets.kg_per_week or 0.0) if self.targets else 0.0


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
    return Card(use=use, targets=targets)


def recent_weights(account: Account, last: datetime.date) -> dict[datetime.date, float]:
    """The last weight in kg of each day of the account's zone."""
    since, until = begin_and_end(last - ONE_DAY * MAX_DAYS, last)
    logs = account.weight_logs.logged(since, until).order_by("-logged_at", "-id")[:MAX_WEIGHTS]
    rows = list(logs.values_list("logged_at", "weight_kg"))[::-1]
    return {timezone.localdate(logged_at): weight_kg for logged_at, weight_kg in rows}


def recent_intake(account: Account, last: datetime.date) -> dict[datetime.date, float]:
    days = account.nutrition_days.between(last - ONE_DAY * MAX_DAYS, last).filter(is_complete=True)
    return dict(days.values_list("day", "calories"))


@login_required
@require_POST
def set_target(request: AccountRequest) -> HttpResponse:
    """Sets the daily target to what the card shows now."""
    card = card_of(request.user)
    if card and card.kcal and card.kcal >= MIN_TARGET:
        NutritionTargets.objects.set_for(request.user, {"calories": card.kcal})
        text = _("Your daily target is %(kcal)s kcal.") % {"kcal": whole(card.kcal)}
        messages.success(request, text)
    return redirect_back(request, reverse("body"))
