from django.conf import settings
from django.urls import path

from accounts.web.consent import keeps_opener
from accounts.web.factors import sign_in_views, views

factors = [
    path("sign-in/factor", keeps_opener(sign_in_views.factor), name="factor"),
    path("sign-in/recovery-code", keeps_opener(sign_in_views.recovery_code), name="recovery-code"),
    path("settings/account/factors", views.overview, name="factors"),
    path("settings/account/factors/authenticator", views.set_up_authenticator, name="set-up-authenticator"),
    path(
        "settings/account/factors/authenticator/remove",
        views.remove_authenticator,
        name="remove-authenticator",
    ),
    path("settings/account/factors/recovery-codes", views.make_recovery_codes, name="make-recovery-codes"),
    # Also where none can be added any more: one that was added at another address can be removed.
    path("settings/account/factors/passkeys/<uuid:pk>", views.rename_passkey, name="rename-passkey"),
    path("settings/account/factors/passkeys/<uuid:pk>/remove", views.remove_passkey, name="remove-passkey"),
]

if settings.PASSKEY_ORIGIN:
    factors += [
        path("sign-in/passkey", keeps_opener(sign_in_views.passkey), name="passkey"),
        path("sign-in/passkey/options", sign_in_views.passkey_options, name="passkey-options"),
        path("sign-in/factor/passkey", keeps_opener(sign_in_views.factor_passkey), name="factor-passkey"),
        path(
            "sign-in/factor/passkey/options",
            sign_in_views.factor_passkey_options,
            name="factor-passkey-options",
        ),
        path("settings/account/factors/passkeys/add", views.add_passkey, name="add-passkey"),
        path(
            "settings/account/factors/passkeys/add/options",
            views.new_passkey_options,
            name="new-passkey-options",
        ),
    ]
