"""How dates are written where a template names no format, as in the admin: short enough for its lists."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y H:i"
