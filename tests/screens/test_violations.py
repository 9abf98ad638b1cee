"""What `violations` finds of texts that look alike."""

from tests.screens.browser import in_browser, violations

pytestmark = in_browser

PAGE = """<!doctype html><html lang="en"><head><title>Texts</title><style>
    :root { color-scheme: light dark; color: black; background: white }
    @media (prefers-color-scheme: dark) { #dark { color: #bbb } }
</style></head><body><main><h1>Texts</h1>
    <p>Readable</p><p>Readable, too</p><p hidden style="color: #aaa">Nobody sees it</p>
    <p id="dark">Readable by day</p>
    <p id="weak" style="color: #aaa">Weak</p>
    <p id="below" style="background: #333">Weak</p>
    <div style="background: #333"><p id="around">Weak</p></div>
    <div style="opacity: 0.4"><p id="faint">Weak</p></div>
    <p><b style="color: #949494; font-size: 2rem">Readable, as it is large</b></p>
    <p id="small"><b style="color: #949494">Weak</b></p>
    <div style="background: #333; height: 4rem"></div>
    <p id="moved" style="position: absolute; margin-top: -3rem">Weak</p>
    <div style="background: #333; height: 4rem"></div>
    <p id="drawn" style="margin: -3rem 0 3rem">Weak</p>
    <div style="background: #333; height: 4rem"></div>
    <p id="shifted" style="position: relative; top: -3rem; margin: 0">Weak</p>
    <div style="background: #333; height: 4rem"></div>
    <p id="carried" style="transform: translateY(-3rem); margin: 0">Weak</p>
</main></body></html>"""


def test_each_weak_text_is_found_beside_readable_ones_on_every_page(screen):
    always = {"weak", "below", "around", "faint", "small", "moved", "drawn", "shifted", "carried"}
    for _ in range(2):
        screen.set_content(PAGE)
        for theme, weak in (("light", always), ("dark", always | {"dark"})):
            (contrast,) = violations(screen, themes=(theme,))
            assert {node["target"][0].split()[0][1:] for node in contrast["nodes"]} == weak
