"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
application = get_wsgi_application()

from accounts.unstored import store_uses  # noqa: E402  (models need the applications)
from fitness.metrics import update_pool  # noqa: E402

# What this process counts. The server class runs these in its threads, again after the seconds they return.
repeated = (store_uses, update_pool)
