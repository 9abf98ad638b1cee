"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
application = get_wsgi_application()

from accounts import tasks as accounts  # noqa: E402  (models need the applications)
from fitness import metrics  # noqa: E402

for task in (accounts.uses, metrics.pool):
    task.start()
