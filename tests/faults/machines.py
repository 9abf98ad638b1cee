"""Several web machines behind one proxy, and what an operator does with them."""

import urllib.request
from contextlib import contextmanager

from tests.server import wait_until
from tests.site.test_metrics import parsed


class Site:
    """Services behind nginx. A Caller of the site reaches whichever machine nginx chooses."""

    def __init__(self, machines, proxy):
        self.machines, self.proxy, self.port = machines, proxy, proxy.port

    @property
    def log(self):
        return "".join(machine.log for machine in self.machines)

    def people(self, count):
        return self.machines[0].people(count)

    @contextmanager
    def without(self, machine):
        """Inside the block nginx sends nothing to the machine, and waits for no response of it."""
        self.proxy.reload(down=[machine.port])
        yield
        self.proxy.reload()

    def restart_one_by_one(self):
        for machine in self.machines:
            with self.without(machine):
                machine.stop()
                machine.start()


def requests_counted(machine, **labels):
    """How many requests all processes of a machine have answered, according to its own /metrics."""
    token = {"Authorization": f"Bearer {machine.environment['METRICS_TOKEN']}"}
    with urllib.request.urlopen(urllib.request.Request(f"{machine.url}/metrics", headers=token)) as response:
        samples = parsed(response.read().decode())
    return sum(
        value
        for (name, pairs), value in samples.items()
        if name == "fitness_request_seconds_count" and labels.items() <= set(pairs)
    )


def wait_until_all_serve(machines):
    """Waits for each machine to answer a request, of those that others send meanwhile."""
    before = [requests_counted(machine) for machine in machines]
    wait_until(
        lambda: all(
            requests_counted(machine) > count for machine, count in zip(machines, before, strict=True)
        )
    )
