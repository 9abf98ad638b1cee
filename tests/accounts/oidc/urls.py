"""The addresses of the service where OIDC_ISSUER is set."""

from fitness.urls import *  # noqa: F403  (with the handlers of errors)
from fitness.urls import urlpatterns as without_provider

from accounts.web.oidc.urls import provider  # isort: skip  (fitness.urls has to come first)

urlpatterns = [*provider, *without_provider]
