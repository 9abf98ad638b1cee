from django.urls import path

from accounts.web.consent import keeps_opener
from accounts.web.oidc import sign_out, ties, views
from fitness.middleware import opens_without_factor

provider = [
    path("sign-in/provider", views.begin, name="provider"),
    path("sign-in/provider/return", views.arrive, name="provider-return"),
    path("sign-in/provider/signed-out", sign_out.from_provider, name="provider-signed-out"),
    path("sign-in/provider/left", sign_out.left, name="provider-left"),
    path("sign-out", keeps_opener(opens_without_factor(sign_out.SignOutView.as_view())), name="sign-out"),
    path("settings/account/confirm/provider", views.begin_confirmation, name="confirm-by-provider"),
    path("settings/account/provider", views.begin_tie, name="begin-tie"),
    path("settings/account/provider/tie", ties.tie, name="tie-provider"),
    path("settings/account/provider/untie", ties.untie, name="untie-provider"),
]
