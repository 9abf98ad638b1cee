# The service in an image of its own. It serves from a read-only root: only /tmp, /data where it keeps its
# own database, and /backups are written to. docs/install.md says how it is run.

ARG PYTHON_IMAGE=python:3.13-slim-bookworm
FROM ${PYTHON_IMAGE}
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    BIND=0.0.0.0 \
    PORT=8000 \
    DATA_DIR=/data \
    MALLOC_ARENA_MAX=2
WORKDIR /app
COPY requirements.txt .
# Every package has a wheel, so nothing is compiled, and no file is taken whose hash is not in the list.
RUN pip install --no-cache-dir --only-binary=:all: --require-hashes --requirement requirements.txt
COPY . .
# A checkout that was made under umask 077 has files that only its owner can read, and the service is another user.
RUN find . ! -perm -o+r -exec chmod o+rX {} +
# The secret is there only for the length of this line; nothing that it makes depends on it.
RUN SECRET_KEY=for-this-line-only python manage.py prepare --static-only \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data /data/images /backups
USER 10001:10001
EXPOSE 8000
# By bash alone: a process of Python for each check takes as much as some hundred requests.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /healthz HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 \
    && read -r -t 4 _ status _ <&3 && [ \"$status\" = 200 ]"]
# All of it in one container. compose.postgres.yaml starts each part in a container of its own.
CMD ["docs/operations/serve"]
