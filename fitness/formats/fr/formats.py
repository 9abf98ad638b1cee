"""As in English: short enough for lists, where a template names no format."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y H:i"
