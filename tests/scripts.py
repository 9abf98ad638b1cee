"""Runs JavaScript modules of pages in Node, with as much of a browser as they need."""

import json
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from fitness.web.language import in_language
from tests.server import ROOT
from training.web.train.views import noted_for_scripts

STATIC = ROOT / "fitness" / "web" / "static"
FOLDERS = [ROOT / "training" / "static" / "training" / "train", STATIC / "charts", STATIC / "words"]
HOST = ROOT / "tests" / "scripts.js"
CALL = "async ([module, name, given]) => (await train(module))[name](...given)"


class Modules:
    def __init__(self, process):
        self.process = process

    def run(self, script, argument):
        """What a function of JavaScript returns: there, `await train(NAME)` is a module of /train."""
        self.process.stdin.write(json.dumps([script, argument]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "Node has ended"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def call(self, module, function, *arguments):
        """What a function of a module of /train returns."""
        return self.run(CALL, [module, function, list(arguments)])


def copied_modules(folder):
    """Copies them into a folder, where Node takes them as modules by the package.json beside them."""
    folder.mkdir(exist_ok=True)
    for source in FOLDERS:
        shutil.copytree(source, folder / source.name)
    shutil.copy(HOST, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@contextmanager
def running_modules(folder, language="en"):
    """The Modules of a new process, in which nothing is kept, on pages in this language."""
    if not shutil.which("node"):
        pytest.skip("Node is not installed (Debian: apt install nodejs)")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with in_language(language):
        noted = noted_for_scripts()
    with subprocess.Popen(["node", folder / HOST.name, language, noted], **pipes) as process:
        yield Modules(process)
        process.stdin.close()
