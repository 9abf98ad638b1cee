"""Runs the JavaScript modules of the page /train in Node, with as much of a browser as they need."""

import json
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from tests.server import ROOT

MODULES = ROOT / "training" / "static" / "training" / "train"
WORDS = ROOT / "fitness" / "web" / "static" / "words" / "en.js"
HOST = ROOT / "tests" / "training" / "train_in_node.js"
CALL = "async ([module, name, given]) => (await train(module))[name](...given)"


class Modules:
    def __init__(self, process):
        self.process = process

    def run(self, script, argument):
        """What a function of JavaScript returns: `await train(NAME)` is a module in it."""
        self.process.stdin.write(json.dumps([script, argument]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "Node has ended"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def call(self, module, function, *arguments):
        return self.run(CALL, [module, function, list(arguments)])


def copied_modules(folder):
    """A folder with a copy of the modules: Node takes them as modules by the package.json beside them."""
    shutil.copytree(MODULES, folder / "train")
    for file in (WORDS, HOST):
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@contextmanager
def running_modules(folder):
    """The Modules of a new process: nothing is kept in it."""
    if not shutil.which("node"):
        pytest.skip("Node is not installed (Debian: apt install nodejs)")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(["node", folder / HOST.name], **pipes) as process:
        yield Modules(process)
        process.stdin.close()
