"""How gunicorn serves the app: one process with threads, or WEB_CONCURRENCY of them."""

from fitness import settings

wsgi_app = "fitness.wsgi"
bind = f"127.0.0.1:{settings.PORT}"
workers = settings.WEB_CONCURRENCY
worker_class = "gthread"
threads = 8
timeout = 60
graceful_timeout = 30
keepalive = 5
limit_request_line = 0  # a long cursor meets the API's own 400
control_socket_disable = True
loglevel = "warning"


def when_ready(server):
    address = settings.PUBLIC_URL or f"http://127.0.0.1:{settings.PORT}"
    print(f"Serving on {address}  (API: {address}/docs, stop with Ctrl+C)", flush=True)
