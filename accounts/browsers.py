"""What a browser calls itself, in words: for the list of sessions and for mails.

A table of the usual names is enough to tell one's own browsers apart. ua-parser knows thousands, and takes
1.5 s and 7 MB for the first of them.
"""

import re

from django.utils.translation import gettext as _

# What a User-Agent has, and who has it. The first match counts: browsers name those that they descend from.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Macintosh": "Mac",
    "Linux": "Linux",
}

PROGRAM = re.compile(r"[A-Za-z][\w-]{0,29}/\d[\d.]{0,15}(?= |$)")


def name_of(user_agent: str) -> str:
    """For example "Firefox on Android", or "curl/8.14". Mails have it: clients must not choose its words."""
    browser, system = first(BROWSERS, user_agent), first(SYSTEMS, user_agent)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    if program := PROGRAM.match(user_agent):
        return program[0]
    return browser or system or _("A browser without a name")


def first(names: dict[str, str], user_agent: str) -> str | None:
    return next((name for text, name in names.items() if text in user_agent), None)
