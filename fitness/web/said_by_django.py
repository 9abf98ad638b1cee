"""What Django says in forms, for translators: in German and Spanish it calls people by the formal address.

The catalogues in `locale/` come before Django's own. Texts are those of `django.forms.fields`,
`django.core.validators` and `django.contrib.auth`.
"""

from django.utils.translation import gettext_noop, ngettext_lazy

TEXTS = (
    gettext_noop("This field is required."),
    gettext_noop("Enter a number."),
    gettext_noop("Enter a whole number."),
    gettext_noop("Enter a valid date."),
    gettext_noop("Enter a valid time."),
    gettext_noop("Enter a valid date/time."),
    gettext_noop("Enter a valid value."),
    gettext_noop("Enter a valid email address."),
    gettext_noop("Enter a valid UUID."),
    gettext_noop("Select a valid choice. %(value)s is not one of the available choices."),
    gettext_noop("Select a valid choice. That choice is not one of the available choices."),
    gettext_noop("Ensure this value is greater than or equal to %(limit_value)s."),
    gettext_noop("Ensure this value is less than or equal to %(limit_value)s."),
    gettext_noop("Null characters are not allowed."),
    gettext_noop("The submitted file is empty."),
    gettext_noop("No file was submitted. Check the encoding type on the form."),
    gettext_noop("The two password fields didn’t match."),  # noqa: RUF001  (as Django writes it)
    gettext_noop("Your old password was entered incorrectly. Please enter it again."),
    gettext_noop("This password is too common."),
    gettext_noop("This password is entirely numeric."),
    gettext_noop("The password is too similar to the %(verbose_name)s."),
)
COUNTED = (
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)
