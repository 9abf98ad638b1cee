"""`record FILE` and `compare BEFORE AFTER`; see tests/corpus/__init__.py."""

import os
import sys
import time
import traceback
from pathlib import Path

from tests.corpus import compare


def record(target):
    from tests.corpus.naming import Names
    from tests.corpus.place import prepared

    began = time.perf_counter()
    with prepared() as clock, Path(target).open("w") as file:
        from tests.corpus import filling, rest, screens, tools
        from tests.corpus.recorder import Recorder

        recorder = Recorder(file, clock, Names())
        accounts = filling.filled(recorder)
        sections = {  # what only reads comes first, so that one write more or less changes no other section
            "rest": rest.read,
            "tools": tools.read,
            "protocol": tools.speak,
            "screens": screens.watch,
            "screens of others": screens.watch_as_others,
            "screens in German": screens.watch_in_german,
            "staff": screens.manage_staff,
            "oauth": screens.connect,
            "refused": rest.refuse,
            "limits": rest.exhaust,
            "values": rest.change_each_value,
            "written": rest.write,
            "written by tools": tools.write,
            "forms": screens.fill_in,
        }
        for section, send in sections.items():
            recorder.begin(section)
            try:
                send(accounts)
            except Exception:  # the other sections are compared all the same
                traceback.print_exc()
                print(f"the section {section!r} is not whole", file=sys.stderr)
    print(f"{sum(recorder.counted.values())} requests in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", _] if os.environ.get("PYTHONHASHSEED") != "0":  # sets have one order, then
            os.environ["PYTHONHASHSEED"] = "0"
            os.execv(sys.executable, [sys.executable, "-m", "tests.corpus", *sys.argv[1:]])
        case ["record", target]:
            record(target)
        case ["compare", before, after]:
            sys.exit(compare.main(before, after))
        case _:
            sys.exit(__doc__)
