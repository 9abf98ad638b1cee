"""The app on a phone: its manifest, its service worker, and the names of the files that the worker keeps."""

import json
import re
import struct

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client

from fitness.site import installed
from fitness.web.staticfiles import CollectedFiles
from tests.conftest import statements
from tests.server import ROOT

CSS = "".join(
    (ROOT / "fitness" / "web" / "static" / name).read_text() for name in ("fitness.css", "dark.css")
)
POLICY = {
    *(
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
    ),
    *("connect-src 'self'", "manifest-src 'self'", "worker-src 'self'", "form-action 'self'"),
    *("frame-ancestors 'none'", "base-uri 'none'"),
}


def shell(response):
    """What the worker keeps, as its script says."""
    return json.loads(re.match(r"const SHELL = (.*);\n", response.content.decode())[1])


def token(name):
    """A colour in the light theme and in the dark one."""
    return re.findall(rf"--{name}: (#\w+);", CSS)


def png_size(address):
    with open(finders.find(address.removeprefix("/static/")), "rb") as file:
        head = file.read(24)
    assert head.startswith(b"\x89PNG")
    return "{}x{}".format(*struct.unpack(">II", head[16:]))


# --- The manifest ------------------------------------------------------------------------------------


def test_the_manifest_says_how_the_app_is_installed(client):
    response = client.get("/manifest.webmanifest")
    assert response.headers["Content-Type"] == "application/manifest+json"
    manifest = response.json()
    assert (manifest["name"], manifest["short_name"], manifest["display"]) == (
        "Fitness",
        "Fitness",
        "standalone",
    )
    assert (manifest["id"], manifest["start_url"], manifest["scope"]) == ("/", "/", "/")
    assert [manifest["background_color"], manifest["theme_color"]] == [token("page")[0], token("surface")[0]]
    assert [shortcut["url"] for shortcut in manifest["shortcuts"]] == ["/train/start"]
    purposes = [(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]]
    assert purposes == [("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")]
    for icon in [*manifest["icons"], *manifest["shortcuts"][0]["icons"]]:
        assert (png_size(icon["src"]), icon["type"]) == (icon["sizes"], "image/png")


@pytest.mark.parametrize("address", ["/", "/sign-in", "/offline", "/train"])
def test_pages_name_the_manifest_the_icon_and_the_colours_of_the_top_bar(client, db, address):
    page = client.get(address).content.decode()
    assert '<link rel="manifest" href="/manifest.webmanifest?language=en">' in page
    assert png_size(re.search(r'rel="apple-touch-icon" href="(.*?)"', page)[1]) == "180x180"
    assert re.findall(r'name="theme-color" content="(.*?)"', page) == token("surface")


# --- The worker --------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/service-worker.js", "/manifest.webmanifest"])
def test_they_are_the_same_for_everybody_and_asked_for_again_each_time(client, page, address):
    for browser in (client, page):
        with statements() as run:
            response = browser.get(address)
        assert (response.status_code, run) == (200, [])
        assert response.headers["Cache-Control"] == "no-cache"
        assert "Vary" not in response.headers
        assert not response.cookies
        assert browser.get(address, headers={"If-None-Match": response.headers["ETag"]}).status_code == 304
    assert page.get(address).content == client.get(address).content
    assert Client().post(address).status_code == 405


def test_they_do_not_count_against_the_limit_of_pages(client, db, settings):
    assert {client.get("/service-worker.js").status_code for _ in range(601)} == {200}
    assert client.get("/sign-in").status_code == 200


def test_the_worker_keeps_what_its_pages_need(client, db):
    response = client.get("/service-worker.js")
    assert response.headers["Content-Type"] == "text/javascript"
    kept = shell(response)
    assert (kept["train"], kept["offline"]) == ("/train", "/offline")
    modules = (ROOT / "training" / "static" / "training" / "train").glob("*.js")
    assert {f"/static/training/train/{path.name}" for path in modules} <= set(kept["files"])
    for address in (kept["train"], kept["offline"]):
        page = client.get(address).content.decode()
        assert set(re.findall(r'"(/static/[^"]+)"', page)) <= set(kept["files"])


@pytest.mark.parametrize("address", ["/train", "/offline"])
def test_the_pages_that_it_keeps_name_nobody(client, page, account, address):
    assert page.get(address).content == client.get(address).content


@pytest.mark.parametrize(
    ("name", "value"),
    [("shell_files", lambda kept: ["/static/another.css"]), ("pages", lambda language: ["<p>another</p>"])],
)
def test_its_version_changes_with_what_it_keeps(client, db, monkeypatch, name, value):
    before = shell(client.get("/service-worker.js"))["version"]
    monkeypatch.setattr(installed, name, value)
    installed.worker_script.cache_clear()
    after = shell(client.get("/service-worker.js"))["version"]
    installed.worker_script.cache_clear()
    assert before != after


def test_nothing_but_the_worker_and_the_manifest_is_added_to_the_policy(client, db):
    policy = client.get("/train").headers["Content-Security-Policy"]
    assert set(policy.split("; ")) == POLICY


def test_pages_of_visitors_do_not_install_the_worker(client, page):
    assert "install.js" in page.get("/").content.decode()
    assert "install.js" not in client.get("/").content.decode()


# --- The names of modules ----------------------------------------------------------------------------


def collect(settings, tmp_path, **options):
    """Collects static files into a folder. Returns the folder and the hashed name of each file."""
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": f"{CollectedFiles.__module__}.{CollectedFiles.__qualname__}"},
    }
    call_command("collectstatic", interactive=False, verbosity=0, **options)
    manifest = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())
    return settings.STATIC_ROOT, manifest["paths"]


def test_modules_import_each_other_by_their_hashed_names(settings, tmp_path):
    """So a script never meets an imported module of another version."""
    others = ["admin", "drf_spectacular_sidecar", "rest_framework", "icons"]
    folder, names = collect(settings, tmp_path, ignore_patterns=others)
    modules = [
        name for path, name in names.items() if path.startswith("training/train/") and path.endswith(".js")
    ]
    imported = [
        path
        for name in modules
        for path in re.findall(r'["\'](\./.*?\.js)["\']', (folder / name).read_text())
    ]
    assert imported
    assert {f"training/train/{path[2:]}" for path in imported} <= set(modules)


def test_train_names_every_module_that_its_first_drawing_needs(client, db):
    """They load at once then. What panels.js loads later is not among them."""
    page = client.get("/train").content.decode()
    named = re.findall(r'<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"', page)
    assert len(named) == len(set(named))
    assert {address.rpartition("/")[2] for address in named} == imported_by("opening.js") | imported_by(
        "main.js"
    )


def imported_by(name):
    """The names of a module of Train and of all that it imports, step by step."""
    text = (ROOT / "training" / "static" / "training" / "train" / name).read_text()
    direct = re.findall(r' from "\./(\w+\.js)"', text)
    return {name}.union(*(imported_by(one) for one in direct))


def test_a_chain_of_modules_may_be_long(settings, tmp_path):
    """Whatever the order in which a file system lists them."""
    for number in range(12):
        text = f'import "./m{number + 1}.js";' if number < 11 else "export {};"
        path = tmp_path / "modules" / f"m{number}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    settings.STATICFILES_DIRS = [tmp_path / "modules"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    folder, names = collect(settings, tmp_path)
    for number in range(11):
        assert f'"./{names[f"m{number + 1}.js"]}"' in (folder / names[f"m{number}.js"]).read_text()
