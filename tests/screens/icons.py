"""Draws the icons of the installed app from logo.svg: `make icons`."""

from playwright.sync_api import sync_playwright

from tests.screens.browser import CHROMIUM
from tests.server import ROOT

STATIC = ROOT / "fitness" / "web" / "static"
ROUND, SQUARE = (
    'rx="9"',
    'rx="0"',
)  # phones cut masked icons themselves; the drawing is within their safe circle

# The name of an icon: its size in pixels, and its corners.
ICONS = {
    "192": (192, ROUND),
    "512": (512, ROUND),
    "maskable-512": (512, SQUARE),
    "apple-touch": (180, SQUARE),
}


def main():
    logo = (STATIC / "logo.svg").read_text()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, (size, corners) in ICONS.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }}</style>{logo.replace(ROUND, corners)}")
            page.screenshot(path=STATIC / "icons" / f"{name}.png", omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
