"""Views that add, edit and delete one instance of an account, each declared by its form and its texts.

They override `dispatch`, so that as in a function view every method but POST renders the form.
"""

from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views import View

from fitness.web.forms import SerializerForm
from fitness.web.shortcuts import next_address, quote, render_confirm, render_form

M = TypeVar("M", bound=Model)


@method_decorator(login_required, name="dispatch")
class AddView(View):
    """A form that creates an instance. A valid one is saved, and redirects to `success_url`.

    A form on another screen names that screen in `next`, and leads back there.
    """

    form_class: type[SerializerForm]
    title: str | Promise
    save_label: str | Promise = _("Save")
    success_message: str | Promise
    success_url: str | Promise  # "Cancel" links there too

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.form_class(account_of(request), request.POST or None, self.get_object())
        success_url = str(self.success_url)
        if form.is_valid():
            form.save()
            messages.success(request, str(self.success_message))
            return HttpResponseRedirect(next_address(request, success_url))
        return render_form(
            request,
            form,
            title=str(self.title),
            save=str(self.save_label),
            cancel=success_url,
            delete=self.get_delete_address(),
        )

    def get_delete_address(self) -> str:
        """Where what the form edits is deleted; empty where its list has a link to that."""
        return ""

    def get_object(self) -> Model | None:
        """The instance that the form edits, or None for a new one."""
        return None


class EditView(AddView):
    """The same form for the instance that `pk` names in the path. Raises Http404 for a stranger's."""

    success_message: str | Promise = _("Your changes are saved.")
    delete_name = ""  # of the URL, where the screen links to it

    def get_delete_address(self) -> str:
        return reverse(self.delete_name, args=[self.kwargs["pk"]]) if self.delete_name else ""

    def get_object(self) -> Model | None:
        instance: Model = get_owned(self, self.form_class.manager_name)
        return instance


@method_decorator(login_required, name="dispatch")
class DeleteView(View, Generic[M]):
    """Asks whether to delete the instance that `pk` names in the path, and deletes it on POST.

    `{name}` in `question` and `success_message` is replaced by `name_of`. Raises Http404 for a stranger's
    instance.
    """

    manager_name: str  # the account's manager of such instances
    question: str | Promise
    text: str | Promise = _("This cannot be undone.")
    button: str | Promise
    success_message: str | Promise
    success_url: str | Promise  # "Keep it" links there too

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        instance: M = get_owned(self, self.manager_name)
        name, success_url = self.name_of(instance), str(self.success_url)
        if request.method == "POST":
            instance.delete()
            messages.success(request, str(self.success_message).format(name=name))
            return HttpResponseRedirect(success_url)
        question = str(self.question).format(name=name)
        return render_confirm(request, question, str(self.text), str(self.button), success_url)

    def name_of(self, instance: M) -> str:
        return quote(str(instance))


def get_owned(view: View, manager_name: str) -> Any:
    """The instance that `pk` names in the path. Raises Http404 if the account has no such instance."""
    return get_object_or_404(getattr(account_of(view.request), manager_name), pk=view.kwargs["pk"])


def account_of(request: HttpRequest) -> Any:
    """The Account of a request that has passed `login_required`; its type belongs to an app."""
    return request.user
