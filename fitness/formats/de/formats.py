"""As in English: short enough for lists, where a template names no format."""

DATE_FORMAT = "j. N Y"
DATETIME_FORMAT = "j. N Y H:i"
