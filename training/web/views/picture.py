from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.views.decorators.http import require_safe

from training.pictures.index import NAME, folder

YEAR = 365 * 24 * 3600


@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponse:
    """A picture of an exercise, for everybody; neither a session nor the database is read."""
    try:
        content = (folder() / name).read_bytes() if NAME.fullmatch(name) else None
    except OSError:  # it is not there, or its name is too long
        content = None
    if content is None:
        return HttpResponseNotFound("There is no such picture.", content_type="text/plain")
    headers = {"Cache-Control": f"public, max-age={YEAR}, immutable"}
    return HttpResponse(content, content_type="image/webp", headers=headers)
