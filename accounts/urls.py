from django.conf import settings
from django.contrib.auth.views import LogoutView
from django.urls import path, re_path
from django.views.generic import RedirectView

from accounts.api.views import ProfileViewSet
from accounts.oauth import views as oauth_views
from accounts.web import alerts, calendar, fresh, recovery, sessions, sign_in, views
from accounts.web.consent import authorize, keeps_opener
from accounts.web.factors import sign_in_views as second_step
from accounts.web.factors import views as factors
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
    path("sign-in/factor", keeps_opener(second_step.factor), name="factor"),
    path("sign-in/recovery-code", keeps_opener(second_step.recovery_code), name="recovery-code"),
    path("settings/account/factors", factors.overview, name="factors"),
    path("settings/account/factors/authenticator", factors.set_up_authenticator, name="set-up-authenticator"),
    path(
        "settings/account/factors/authenticator/remove",
        factors.remove_authenticator,
        name="remove-authenticator",
    ),
    path("settings/account/factors/recovery-codes", factors.make_recovery_codes, name="make-recovery-codes"),
    # Also where none can be added any more: one that was added at another address can be removed.
    path("settings/account/factors/passkeys/<uuid:pk>", factors.rename_passkey, name="rename-passkey"),
    path("settings/account/factors/passkeys/<uuid:pk>/remove", factors.remove_passkey, name="remove-passkey"),
    path("settings/account/sessions/end", sessions.end_session, name="end-session"),
    path("settings/account/sessions/end-others", sessions.end_sessions, name="end-sessions"),
    path("settings/profile/units", views.set_units, name="set-units"),
    path("settings/profile/time-zone", views.set_time_zone, name="set-time-zone"),
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

if settings.PASSKEY_ORIGIN:
    web += [
        path("sign-in/passkey", keeps_opener(second_step.passkey), name="passkey"),
        path("sign-in/passkey/options", second_step.passkey_options, name="passkey-options"),
        path("sign-in/factor/passkey", keeps_opener(second_step.factor_passkey), name="factor-passkey"),
        path(
            "sign-in/factor/passkey/options",
            second_step.factor_passkey_options,
            name="factor-passkey-options",
        ),
        path("settings/account/factors/passkeys/add", factors.add_passkey, name="add-passkey"),
        path(
            "settings/account/factors/passkeys/add/options",
            factors.new_passkey_options,
            name="new-passkey-options",
        ),
    ]

if settings.OIDC_ISSUER:
    from accounts.web.oidc.urls import provider

    web = [*provider, *web]  # its sign-out comes before the other one
