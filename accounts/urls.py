from django.conf import settings
from django.contrib.auth.views import LogoutView
from django.urls import path, re_path
from django.views.generic import RedirectView

from accounts.api.views import ProfileViewSet
from accounts.oauth import views as oauth_views
from accounts.web import alerts, calendar, fresh, recovery, sessions, sign_in, views
from accounts.web.consent import authorize, keeps_opener
from accounts.web.factors.urls import factors
from accounts.web.sign_in import SignInView
from fitness.middleware import opens_without_factor

api = [
    path("me", ProfileViewSet.as_view({"get": "retrieve"})),
]

oauth = [
    path(".well-known/oauth-protected-resource", oauth_views.protected_resource),
    path(".well-known/oauth-protected-resource/mcp", oauth_views.protected_resource),
    path(".well-known/oauth-authorization-server", oauth_views.authorization_server),
    path("token", oauth_views.token, name="token"),
    path("register", oauth_views.register, name="register"),
    path("revoke", oauth_views.revoke, name="revoke"),
    re_path(r"^(mcp/.+|\.well-known(/.*)?)$", oauth_views.nothing),
]

web = [
    path("authorize", authorize, name="authorize"),
    path("sign-up", keeps_opener(views.sign_up), name="sign-up"),
    path("sign-in", keeps_opener(SignInView.as_view()), name="sign-in"),
    path("sign-in/link", sign_in.open_sign_in_link, name="open-sign-in-link"),
    path("sign-out", keeps_opener(opens_without_factor(LogoutView.as_view())), name="sign-out"),
    path("reset-password", recovery.reset_password, name="reset-password"),
    path("set-password", recovery.set_password, name="set-password"),
    path("confirm-email", recovery.confirm_email, name="confirm-email"),
    path("settings", RedirectView.as_view(pattern_name="profile"), name="settings"),
    path("settings/profile", views.profile, name="profile"),
    path("settings/account", views.account, name="account"),
    path("settings/account/email", recovery.change_email, name="change-email"),
    path("settings/account/confirmation", recovery.mail_confirmation, name="mail-confirmation"),
    path("settings/account/confirm", keeps_opener(fresh.confirm_password), name="confirm-password"),
    *factors,
    path("settings/account/sessions/end", sessions.end_session, name="end-session"),
    path("settings/account/sessions/end-others", sessions.end_sessions, name="end-sessions"),
    path("settings/profile/units", views.set_units, name="set-units"),
    path("settings/profile/time-zone", views.set_time_zone, name="set-time-zone"),
    path("settings/profile/language", views.set_language, name="set-language"),
    path("settings/alerts", alerts.alerts, name="alerts"),
    path("settings/alerts/subscribe", alerts.subscribe, name="subscribe"),
    path("settings/alerts/reminder", alerts.set_reminder, name="set-reminder"),
    path("settings/alerts/<uuid:pk>/remove", alerts.remove, name="remove-subscription"),
    path("settings/data/calendar", calendar.calendar, name="calendar"),
    path("settings/data/calendar/end", calendar.end, name="end-calendar"),
    path("settings/developer", views.developer, name="developer"),
    path("settings/developer/<int:pk>/corrections", views.key_corrections, name="key-corrections"),
    path("settings/developer/<int:pk>/revoke", views.revoke_key, name="revoke-key"),
]

if settings.OIDC_ISSUER:
    from accounts.web.oidc.urls import provider

    web = [*provider, *web]  # its sign-out comes before the other one
