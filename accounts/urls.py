from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.generic import RedirectView

from accounts.api.views import ProfileViewSet
from accounts.web import views
from accounts.web.forms import SignInForm

api = [
    path("me", ProfileViewSet.as_view({"get": "retrieve"})),
]

sign_in = LoginView.as_view(
    template_name="accounts/sign_in.html",
    authentication_form=SignInForm,
    redirect_authenticated_user=True,
)

web = [
    path("sign-up", views.sign_up, name="sign-up"),
    path("sign-in", sign_in, name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("settings", RedirectView.as_view(pattern_name="profile"), name="settings"),
    path("settings/profile", views.profile, name="profile"),
    path("settings/account", views.account, name="account"),
    path("settings/account/units", views.set_units, name="set-units"),
    path("settings/developer", views.developer, name="developer"),
    path("settings/developer/<int:pk>/revoke", views.revoke_key, name="revoke-key"),
]
