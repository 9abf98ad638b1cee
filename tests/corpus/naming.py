"""Names for what is another one in each recording: ids, cursors, keys, tokens, versions.

A value has the name of the answer that showed it first, so two answers that show the same value still do so
when they are compared, and an answer that shows one more leaves the names of all others alone.
"""

import re
from collections import Counter

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
WORD = re.compile(r"[\w-]{16,}", re.ASCII)
MADE = re.compile(r"svc\w?_[\w-]{40,}|(?:own-)?[0-9a-f]{32}", re.ASCII)  # keys, and ids without hyphens
HINT = re.compile(r"svc_\w{4}(?:…|\.\.\.|\\u2026)\w{4}", re.ASCII)  # of a key
# What is a value that was made, by what is before it; the name is the second part.
SHOWN = re.compile(
    r'"((?:next_)?cursor|access_token|refresh_token|client_id|code)": ?"([\w.~-]{8,})"'
    r"|\b(cursor|code|client_id|invitation|token)=([\w.~-]{8,})",
    re.ASCII,
)
# What nothing else refers to.
PASSING = [
    (re.compile(r'(name="csrfmiddlewaretoken" value="|"csrf_token": ?"|data-token=")\w+'), r"\1«csrf»"),
    (re.compile(r"(csrfmiddlewaretoken=)\w+"), r"\1«csrf»"),
    (re.compile(r"([0-9a-f](?::|%3A))[\w-]{43}\b"), r"\1«signature»"),
    (re.compile(r"\bgAAAAA[\w-]{50,}=*"), "«sealed»"),
    (re.compile(r"(nonce-|nonce=\")[\w+/=-]+"), r"\1«nonce»"),
    (re.compile(r"\.[0-9a-f]{12}(?=\.\w)"), ".«hash»"),
]


class Names:
    def __init__(self):
        self.known = {}
        self.counted = Counter()

    def learn(self, value, name):
        self.known.setdefault(value, f"«{name}»")
        if value.startswith("svc_"):
            self.known.setdefault(value[:8] + value[-4:], f"«hint of {name}»")

    def name_of(self, value, kind, place):
        if value not in self.known:
            place = re.sub("«.*»", "«»", place)
            self.counted[kind, place] += 1
            self.known[value] = f"«{kind} {self.counted[kind, place]} of {place}»"
        return self.known[value]

    def in_text(self, text, place):
        """The text with names; `place` is the name of the answer."""
        for pattern, constant in PASSING:
            text = pattern.sub(constant, text)
        for match in SHOWN.finditer(text):
            kind, value = match[1] or match[3], match[2] or match[4]
            self.name_of(value, kind.removeprefix("next_"), place)
        text = HINT.sub(lambda match: self.name_of(match[0][:8] + match[0][-4:], "hint", place), text)
        text = UUID.sub(lambda match: self.name_of(match[0], "id", place), text)
        return WORD.sub(lambda match: self.of_word(match[0], place), text)

    def of_word(self, word, place):
        return self.name_of(word, "made", place) if MADE.fullmatch(word) else self.known.get(word, word)
