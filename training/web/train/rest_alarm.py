"""The alarm at the end of a rest, for browsers that take alerts (accounts/push)."""

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from accounts.models import Alarm
from accounts.web.requests import AccountRequest
from fitness.api import fields
from fitness.api.serializers import StrictSerializer
from training.web.train.views import for_page, parsed

LONGEST = 3600


class RestAlarmSerializer(StrictSerializer):
    """The body of a PUT."""

    seconds = fields.IntegerField(min_value=1, max_value=LONGEST)


@require_http_methods(["PUT", "DELETE"])
@for_page
def rest_alarm(request: AccountRequest) -> HttpResponse:
    if request.method == "DELETE":
        Alarm.objects.cancel(request.user, Alarm.Kind.REST)
    else:
        Alarm.objects.rest(request.user, RestAlarmSerializer.validated(parsed(request))["seconds"])
    return HttpResponse(status=204)
