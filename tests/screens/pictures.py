"""Takes the pictures of the main screens for README.md and docs/: `make pictures`.

The service runs at a fixed date, because the demo's history depends on it. So the picture of an
unchanged screen has the same bytes as before.
"""

import base64
import re
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.screens.browser import CHROMIUM, DESKTOP, PHONE
from tests.server import ROOT, running_server

NOW = "2026-11-19T10:40:00+00:00"  # a Thursday: the demo's plan has a session, and the week has begun
CLOCK = str(Path(__file__).parent / "one_day")
FOLDER = ROOT / "docs" / "pictures"
LANDING = ROOT / "fitness" / "web" / "static" / "landing"
ON_LANDING = ("train", "exercise")  # shown to visitors, as small files
TO_WEBP = """
async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.75);
}
"""
FIXED_HINTS = """
from datetime import timedelta
from django.utils import timezone
from accounts.models import ApiKey
a_month_ago = timezone.now() - timedelta(days=30)
ApiKey.objects.filter(name="Claude Code").update(hint="svc_t3Xq…8wLm", created_at=a_month_ago)
ApiKey.objects.filter(name="Spreadsheet").update(hint="svc_Jd0y…K5vR")
"""  # keys are random, and their screen shows a part of each

# The name of a picture, and the address of its screen.
SCREENS = {
    "home": "/",
    "progress": "/progress",
    "workouts": "/workouts",
    "exercise": "/exercises/barbell-bench-press",
    "body": "/body",
    "nutrition": "/nutrition",
    "supplements": "/supplements",
    "developer": "/settings/developer",
}
SCROLLED_TO = {"exercise": "Progress", "log": "Exercises"}  # headings to scroll to on a phone


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        environment = {"PYTHONPATH": CLOCK, "NOW": NOW, "DATA_DIR": folder}
        with running_server(Path(folder), **environment) as server:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take_pictures(browser, server)
            shrink_for_landing(browser)
            browser.close()


def take_pictures(browser, server):
    email, password = demo(server)
    with window(browser, server, PHONE, "light") as screen:
        sign_in(screen, email, password)
        tick(screen)
        addresses = SCREENS | find_screens(screen)
        session = screen.context.storage_state()
    for scheme in ("light", "dark"):
        with window(browser, server, PHONE, scheme, session) as screen:
            for name, address in addresses.items():
                picture(screen, address, f"{name}-{scheme}", SCROLLED_TO.get(name))
    with window(browser, server, DESKTOP, "light", session) as screen:
        picture(screen, "/", "home-wide")
    with window(browser, server, PHONE, "light", session) as screen:
        train(screen)
    for scheme in ("light", "dark"):
        with window(browser, server, PHONE, scheme, session) as screen:
            picture(screen, "/train", f"train-{scheme}")


def shrink_for_landing(browser):
    """Makes WebP files of the pictures on the landing page, a third as large."""
    LANDING.mkdir(exist_ok=True)
    screen = browser.new_page()
    for name in [f"{name}-{scheme}" for name in ON_LANDING for scheme in ("light", "dark")]:
        picture = base64.b64encode((FOLDER / f"{name}.png").read_bytes()).decode()
        address = screen.evaluate(TO_WEBP, f"data:image/png;base64,{picture}")
        (LANDING / f"{name}.webp").write_bytes(base64.b64decode(address.partition(",")[2]))


def train(screen):
    """Starts the session of the day, and ticks two sets of it."""
    screen.goto("/")
    screen.get_by_role("button", name="Start").first.click()
    for number in (1, 2):
        screen.get_by_label(f"Done, set {number}").check()
    screen.get_by_role("button", name="Skip").click()
    screen.get_by_text("Saved").wait_for()


def demo(server):
    """Seeds the demo account and two keys of it. Returns its email and its password."""
    output = server.manage("seed_demo").stdout
    email, password = re.search(r"as (\S+) with the password (\S+)", output).groups()
    server.manage("issue_key", email, "--name", "Claude Code", "--scope", "read_write", "--expires", "1y")
    server.manage("issue_key", email, "--name", "Spreadsheet", "--scope", "read")
    server.manage("shell", "--no-imports", "-c", FIXED_HINTS)
    return email, password


@contextmanager
def window(browser, server, viewport, scheme, session=None):
    context = browser.new_context(
        base_url=server.url,
        viewport=viewport,
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
        storage_state=session,
    )
    yield context.new_page()
    context.close()


def sign_in(screen, email, password):
    screen.goto("/sign-in")
    screen.get_by_label("Email").fill(email)
    screen.get_by_label("Password").fill(password)
    screen.get_by_role("button", name="Sign in").click()
    screen.get_by_role("heading", name="Today").wait_for()


def tick(screen):
    """Ticks the first supplement and the first meal of the day."""
    for part in ("Supplements", "Food"):
        screen.goto("/")
        screen.get_by_role("region", name=part).locator("button.check").first.click()
        screen.wait_for_load_state()


def find_screens(screen):
    """{name of the picture: address} of the screens whose address contains an id."""
    screen.goto("/")
    log = screen.get_by_role("link", name="Log", exact=True).first.get_attribute("href")
    plan = re.search(r"plan=([^&]+)", log)[1]
    screen.goto("/workouts")
    workout = screen.locator("main a[href^='/workouts/']:not([href*='new'])").first.get_attribute("href")
    return {"workout": workout, "log": log, "plan": f"/plans/{plan}"}


def picture(screen, address, name, heading=None):
    screen.goto(address, wait_until="networkidle")
    if heading:
        target = screen.get_by_role("heading", name=heading, exact=True)
        target.evaluate("element => window.scrollTo(0, element.getBoundingClientRect().top - 48)")
    screen.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


if __name__ == "__main__":
    sys.exit(main())
