"""The app on a phone: its manifest, its service worker, and the page that is shown without a connection.

All three are the same for everybody; pages name their language in the addresses of worker and manifest. The
worker (service-worker.js, beside this file) keeps two pages and the files that they need, under a version: a
hash of all of it. So each update that changes any of it is a new worker, which browsers find because they ask
for /service-worker.js whenever a page is opened.
"""

import hashlib
import json
from functools import cache
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from fitness.web.language import in_language, is_known

WORKER = Path(__file__).with_name("service-worker.js")
BACKGROUND, TOP_BAR = "#f6f8f7", "#ffffff"  # --page and --surface of fitness.css

always_validated = cache_control(no_cache=True)


@require_safe
@conditional_page
@always_validated
def manifest(request: HttpRequest) -> JsonResponse:
    language = language_of(request)
    with in_language(language):
        return JsonResponse(manifest_of(language), content_type="application/manifest+json")


def manifest_of(language: str) -> dict[str, object]:
    small, large, maskable = (static(f"icons/{name}.png") for name in ("192", "512", "maskable-512"))
    return {
        "id": "/",
        "name": settings.SERVICE_NAME,
        "short_name": settings.SERVICE_NAME,
        "description": _("Workouts, body, nutrition and supplements, on a server of your own."),
        "lang": language,
        "start_url": reverse("home"),
        "scope": "/",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": TOP_BAR,
        "icons": [
            {"src": small, "sizes": "192x192", "type": "image/png", "purpose": "any"},
            {"src": large, "sizes": "512x512", "type": "image/png", "purpose": "any"},
            {"src": maskable, "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
        ],
        "shortcuts": [
            {
                "name": _("Train"),
                "url": reverse("start-training"),  # which leads to a workout that is under way
                "icons": [{"src": small, "sizes": "192x192", "type": "image/png"}],
            }
        ],
    }


@require_safe
@conditional_page
@always_validated
def service_worker(request: HttpRequest) -> HttpResponse:
    return HttpResponse(worker_script(language_of(request)), content_type="text/javascript")


def language_of(request: HttpRequest) -> str:
    """The language of the page that asks (install_head.html, install.js)."""
    language = request.GET.get("language", "")
    return language if is_known(language) else settings.LANGUAGE_CODE


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    return render(request, "offline.html")


@cache
def worker_script(language: str) -> str:
    """The text of the worker, made once for each process: browsers ask for it with every page."""
    script, kept = WORKER.read_text(), pages(language)
    files = shell_files(kept)
    content = json.dumps([script, files, kept, settings.CONTENT_SECURITY_POLICY])
    shell = {
        "version": hashlib.sha256(content.encode()).hexdigest()[:16],
        "language": language,
        "train": reverse("train"),
        "trains": [reverse("train"), reverse("start-training")],
        "offline": reverse("offline"),
        "static": settings.STATIC_URL,
        "icon": static("icons/192.png"),
        "files": files,
    }
    return f"const SHELL = {json.dumps(shell)};\n\n{script}"


def pages(language: str) -> list[str]:
    """The pages that browsers keep."""
    with in_language(language):
        return [render_to_string(name) for name in ("training/train.html", "offline.html")]


def shell_files(pages: list[str]) -> list[str]:
    """The addresses of the static files that the pages name, and of all modules of Train."""
    named = [part for page in pages for part in page.split('"') if part.startswith(settings.STATIC_URL)]
    folder = Path(apps.get_app_config("training").path, "static", "training", "train")
    modules = [static(f"training/train/{path.name}") for path in folder.glob("*.js")]
    return sorted({*named, *modules})
