from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.generic import RedirectView

from accounts import pages as screens
from accounts.forms import SignInForm
from accounts.views import ProfileViewSet

api = [
    path("me", ProfileViewSet.as_view({"get": "retrieve"})),
]

sign_in = LoginView.as_view(
    template_name="accounts/sign_in.html",
    authentication_form=SignInForm,
    redirect_authenticated_user=True,
)

pages = [
    path("sign-up", screens.sign_up, name="sign-up"),
    path("sign-in", sign_in, name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("settings", RedirectView.as_view(pattern_name="profile"), name="settings"),
    path("settings/profile", screens.profile, name="profile"),
    path("settings/account", screens.account, name="account"),
    path("settings/account/units", screens.set_units, name="set-units"),
    path("settings/developer", screens.developer, name="developer"),
    path("settings/developer/<int:pk>/revoke", screens.revoke_key, name="revoke-key"),
]
