"""Base classes of Django that take a parameter in its stubs, and none at run time."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth import forms as auth_forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.core import paginator
from django.db.models import Model

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[Any]
    BaseUserCreationForm = auth_forms.BaseUserCreationForm[Any]
    SetPasswordForm = auth_forms.SetPasswordForm[AbstractBaseUser]
    AdminPasswordChangeForm = auth_forms.AdminPasswordChangeForm[Any]
    Paginator = paginator.Paginator[Model]
else:
    ModelAdmin = admin.ModelAdmin
    ModelForm = forms.ModelForm
    BaseUserCreationForm = auth_forms.BaseUserCreationForm
    SetPasswordForm = auth_forms.SetPasswordForm
    AdminPasswordChangeForm = auth_forms.AdminPasswordChangeForm
    Paginator = paginator.Paginator
