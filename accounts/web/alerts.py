"""The settings of alerts: the browsers that take them, and the hour of the reminder."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.browsers import name_of
from accounts.models import Alarm, PushSubscription
from accounts.push import vapid
from accounts.web.requests import AccountRequest
from fitness.web.forms import StyledFormMixin

HOURS = [("", "No reminder"), *((str(hour), f"{hour:02}:00") for hour in range(24))]
MAX_BROWSER = 300


class ReminderForm(StyledFormMixin, forms.Form):
    hour = forms.TypedChoiceField(
        label="Remind me at", choices=HOURS, coerce=int, empty_value=None, required=False
    )


@login_required
def alerts(request: AccountRequest) -> HttpResponse:
    reminder = request.user.alarms.filter(kind=Alarm.Kind.REMINDER).first()
    subscriptions = request.user.push_subscriptions.order_by("-created_at", "-id")
    context = {
        "browsers": [
            {"pk": one.pk, "name": name_of(one.name), "created_at": one.created_at, "digest": one.digest}
            for one in subscriptions
        ],
        "key": vapid.public_key(),
        "form": ReminderForm(initial={"hour": reminder.hour if reminder else ""}),
    }
    return render(request, "accounts/alerts.html", context)


@login_required
@require_POST
def subscribe(request: AccountRequest) -> HttpResponse:
    """For alerts.js, which opens the page again."""
    sent = {name: request.POST.get(name, "") for name in ("endpoint", "p256dh", "auth")}
    browser = request.headers.get("User-Agent", "")[:MAX_BROWSER]
    try:
        PushSubscription.objects.subscribe(request.user, **sent, name=browser)
    except ValidationError as error:
        return HttpResponse(error.message, status=400, content_type="text/plain; charset=utf-8")
    messages.success(request, "This browser takes alerts.")
    return HttpResponse(status=204)


@login_required
@require_POST
def remove(request: AccountRequest, pk: UUID) -> HttpResponse:
    subscription = get_object_or_404(request.user.push_subscriptions, pk=pk)
    subscription.delete()
    messages.success(request, f"{name_of(subscription.name)} takes no alerts any more.")
    return redirect("alerts")


@login_required
@require_POST
def set_reminder(request: AccountRequest) -> HttpResponse:
    form = ReminderForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose an hour from the list.")
    elif (hour := form.cleaned_data["hour"]) is None:
        Alarm.objects.cancel(request.user, Alarm.Kind.REMINDER)
        messages.success(request, "You are not reminded.")
    else:
        Alarm.objects.remind(request.user, hour)
        messages.success(request, f"You are reminded at {hour:02}:00 on the days that your plan trains.")
    return redirect("alerts")
