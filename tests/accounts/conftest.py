import re

from tests.conftest import page  # noqa: F401  (tests of other apps take it from here)

KEY = re.compile(r"svc_[A-Za-z0-9]{40}")
