"""The settings of alerts: the browsers that take them, and the hour of the reminder."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import Alarm, PushSubscription
from accounts.push import vapid
from accounts.web.requests import AccountRequest
from fitness.web.forms import StyledFormMixin

HOURS = [("", gettext_lazy("No reminder")), *((str(hour), f"{hour:02}:00") for hour in range(24))]
MAX_BROWSER = 300


class ReminderForm(StyledFormMixin, forms.Form):
    hour = forms.TypedChoiceField(
        label=gettext_lazy("Remind me at"), choices=HOURS, coerce=int, empty_value=None, required=False
    )


@login_required
def alerts(request: AccountRequest) -> HttpResponse:
    reminder = request.user.alarms.filter(kind=Alarm.Kind.REMINDER).first()
    context = {
        "subscriptions": request.user.push_subscriptions.order_by("-created_at", "-id"),
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
    messages.success(request, _("This browser takes alerts."))
    return HttpResponse(status=204)


@login_required
@require_POST
def remove(request: AccountRequest, pk: UUID) -> HttpResponse:
    subscription = get_object_or_404(request.user.push_subscriptions, pk=pk)
    subscription.delete()
    text = _("%(browser)s takes no alerts any more.") % {"browser": subscription.browser}
    messages.success(request, text)
    return redirect("alerts")


@login_required
@require_POST
def set_reminder(request: AccountRequest) -> HttpResponse:
    form = ReminderForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose an hour from the list."))
    elif (hour := form.cleaned_data["hour"]) is None:
        Alarm.objects.cancel(request.user, Alarm.Kind.REMINDER)
        messages.success(request, _("You are not reminded."))
    else:
        Alarm.objects.remind(request.user, hour)
        text = _("You are reminded at %(time)s on the days that your plan trains.")
        messages.success(request, text % {"time": f"{hour:02}:00"})
    return redirect("alerts")
