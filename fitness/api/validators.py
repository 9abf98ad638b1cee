from typing import Any

from django.core.validators import BaseValidator
from django.utils.translation import gettext_lazy


class GreaterThan(BaseValidator):
    """An exclusive lower bound."""

    message = gettext_lazy("Ensure this value is greater than %(limit_value)s.")
    code = "min_value"

    def compare(self, value: Any, limit: Any) -> bool:
        return bool(value <= limit)
