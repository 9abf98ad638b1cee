"""As in English: short enough for lists, where a template names no format."""

DATE_FORMAT = "j b Y"
DATETIME_FORMAT = "j b Y H:i"
