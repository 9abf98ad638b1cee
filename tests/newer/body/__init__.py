"""The migrations of `body`, whichever there are, and two that come after them."""

from pkgutil import iter_modules

from body import migrations

LAST = max(module.name for module in iter_modules(migrations.__path__))

__path__ += migrations.__path__
