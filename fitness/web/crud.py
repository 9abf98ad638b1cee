"""Views that add, edit and delete one thing of an account, each declared by its form and its texts.

As in a function view, every method but POST shows the form: that is why they override `dispatch`.
"""

from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.views import View

from fitness.web.forms import SerializerForm
from fitness.web.shortcuts import confirm, form_page, quoted

M = TypeVar("M", bound=Model)


@method_decorator(login_required, name="dispatch")
class AddView(View):
    """A form that makes an instance. A valid one is saved and leads to `success_url`."""

    form_class: type[SerializerForm]
    title: str
    save_label = "Save"
    success_message: str
    success_url: str | Promise  # "Cancel" leads there too

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.form_class(request.user, request.POST or None, self.get_object())
        if form.is_valid():
            form.save()
            messages.success(request, self.success_message)
            return HttpResponseRedirect(str(self.success_url))
        return form_page(request, form, title=self.title, save=self.save_label, cancel=self.success_url)

    def get_object(self) -> Model | None:
        return None


class EditView(AddView):
    """The same form for the instance that `pk` names in the path; 404 where the account has none such."""

    success_message = "Your changes are saved."

    def get_object(self) -> Model | None:
        return get_owned(self, self.form_class.manager_name)


@method_decorator(login_required, name="dispatch")
class DeleteView(View, Generic[M]):
    """Asks before it deletes the instance that `pk` names; 404 where the account has none such.

    In `question` and `success_message`, `{name}` is replaced by the instance's name.
    """

    manager_name: str  # the account's manager of such instances
    question: str
    text = "This cannot be undone."
    button: str
    success_message: str
    success_url: str | Promise  # "Keep it" leads there too

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        instance: M = get_owned(self, self.manager_name)
        name = self.name_of(instance)
        if request.method == "POST":
            instance.delete()
            messages.success(request, self.success_message.format(name=name))
            return HttpResponseRedirect(str(self.success_url))
        question = self.question.format(name=name)
        return confirm(request, question, self.text, self.button, self.success_url)

    def name_of(self, instance: M) -> str:
        return quoted(str(instance))


def get_owned(view: View, manager_name: str) -> Any:
    """The instance that `pk` names among those of the account. Raises Http404 when there is none."""
    return get_object_or_404(getattr(view.request.user, manager_name), pk=view.kwargs["pk"])
