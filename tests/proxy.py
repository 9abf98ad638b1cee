"""The proxy for tests: nginx with the project's nginx.conf, adapted to the addresses of a test."""

import os
import re
import signal
import subprocess
from pathlib import Path

from tests.server import ROOT, free_port, listens, wait_until


def nginx_conf(folder, port, processes, more="", down=()):
    """The project's nginx.conf, with its addresses and folders replaced by those of a test."""
    text = (ROOT / "nginx.conf").read_text()
    servers = [rf"server 127.0.0.1:{web} \1{' down' if web in down else ''};" for web in processes]
    changes = [
        (r"/tmp/", f"{folder}/"),
        (r"/dev/stdout", f"{folder}/own.log"),
        (r"listen 8080;", f"listen 127.0.0.1:{port}; {more}"),
        (r"server web:8000 resolve (.*);", " ".join(servers)),
        (r"resolver .*;", ""),
    ]
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text)
        assert count, pattern
    return text


class Proxy:
    """nginx in front of the processes at these ports, while its `with` block lasts."""

    def __init__(self, folder, processes, more=""):
        self.folder, self.processes, self.more = folder, processes, more
        self.port = free_port()

    def __enter__(self):
        self.configure()
        directives = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
        command = ["nginx", "-p", self.folder, "-c", self.folder / "nginx.conf", "-g", directives]
        with (self.folder / "errors.log").open("w") as errors:
            self.nginx = subprocess.Popen(command, stderr=errors)
        try:
            wait_until(lambda: listens(self.port))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        self.nginx.terminate()
        self.nginx.wait(timeout=20)

    def configure(self, down=()):
        text = nginx_conf(self.folder, self.port, self.processes, self.more, down)
        (self.folder / "nginx.conf").write_text(text)

    def reload(self, down=()):
        """Marks the processes at these ports as down, and returns when nginx sends them nothing any more."""
        old = self.workers
        self.configure(down)
        self.nginx.send_signal(signal.SIGHUP)
        wait_until(lambda: self.workers and not old & self.workers)

    @property
    def workers(self):
        master = self.nginx.pid
        return {int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split()}
