"""star.py: a master and workers in network namespaces of their own, behind links of known rates.

Kinds of links: `wires`: each worker has its own; `hub`: one uplink at the master is shared by all.  Both may
have a delay.  Needs root and iproute2; whoever has neither asks `why_not` first.
"""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile

MASTER = "10.77.0.1"


def why_not():
    """Why there can be no star here; None: there can."""
    if os.geteuid() != 0:
        return "needs root"
    if shutil.which("ip") is None or shutil.which("tc") is None:
        return "needs iproute2"
    name = f"lss{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    if made.returncode != 0:
        return "needs network namespaces"
    shaped = subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit",
                             "burst", "32kb", "latency", "60ms"], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", name], check=True)
    return None if shaped.returncode == 0 else "needs a kernel with tbf"


class Star:
    """`rates`: Mbit/s of each worker's wire, None: no bound; `hub`: of the master's, None: no bound;
    `delay_ms`: of each wire, one way, at the worker's end."""

    def __init__(self, rates, hub=None, delays_ms=None):
        self.rates, self.hub = rates, hub
        self.delays_ms = delays_ms or [0] * len(rates)
        self.prefix = f"lss{os.getpid()}"
        self.switch, self.master = f"{self.prefix}-sw", f"{self.prefix}-m"
        self.workers = [f"{self.prefix}-w{i + 1}" for i in range(len(rates))]
        self.folder = tempfile.TemporaryDirectory(prefix="loadstar-star-")
        self.running = []

    def __enter__(self):
        try:
            self._ip("netns", "add", self.switch)
            self._ip("-n", self.switch, "link", "add", "br0", "type", "bridge", "forward_delay", "0")
            self._ip("-n", self.switch, "link", "set", "br0", "up")
            self._add(self.master, MASTER, self.hub, 0, "to-m")
            for i, name in enumerate(self.workers):
                self._add(name, f"10.77.0.{11 + i}", self.rates[i], self.delays_ms[i], f"to-w{i + 1}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.running:
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()
        for name in [self.switch, self.master, *self.workers]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        self.folder.cleanup()

    @staticmethod
    def _ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def _add(self, name, address, rate, delay_ms, short):
        self._ip("netns", "add", name)
        self._ip("-n", name, "link", "set", "lo", "up")
        self._ip("link", "add", "e0", "netns", name, "type", "veth", "peer", "name", short, "netns", self.switch)
        self._ip("-n", name, "addr", "add", f"{address}/24", "dev", "e0")
        self._ip("-n", name, "link", "set", "e0", "up")
        self._ip("-n", self.switch, "link", "set", short, "master", "br0", "up")
        for space, device in ((name, "e0"), (self.switch, short)):
            self._shape(space, device, rate, delay_ms)

    @staticmethod
    def _shape(space, device, rate, delay_ms):
        queue = ["tc", "-n", space, "qdisc", "add", "dev", device, "root"]
        if delay_ms:
            words = ["handle", "1:", "netem", "delay", f"{delay_ms}ms", "limit", "10000"]
            subprocess.run(queue + words + (["rate", f"{rate}mbit"] if rate else []), check=True)
        elif rate:
            subprocess.run(queue + ["tbf", "rate", f"{rate}mbit", "burst", "32kb", "latency", "60ms"], check=True)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run(self, program, options, words, factors=None, patience_s=300):
        """Exit status, standard error, summary; the workers join by TCP under keys."""
        key, summary = self.path("run.key"), self.path("summary.json")
        for name in (key, summary):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
        master = subprocess.Popen(
            ["ip", "netns", "exec", self.master, program, "run", "--no-local", "--listen", f"tcp://{MASTER}:5500",
             "--key", key, f"--json={summary}", "--workers", str(len(self.workers)),
             "--workers-min", str(len(self.workers)), *options, "--", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.running = [master]
        for i, name in enumerate(self.workers):
            factor = {"STAR_FACTOR": str(factors[i])} if factors else {}
            self.running.append(subprocess.Popen(
                ["sh", "-c", f'while ! [ -s "{key}" ]; do sleep 0.02; done; sleep {0.2 * i:g}; exec ip netns exec "$@"', "sh",
                 name, program, "worker", "--key", key, "--name", f"w{i + 1}"],
                env={**os.environ, **factor}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))
        try:
            said = master.communicate(timeout=patience_s)[1]
        finally:
            for process in self.running:
                with contextlib.suppress(OSError):
                    process.terminate() if process is not master else process.kill()
                process.wait()
            self.running = []
        found = {}
        if os.path.exists(summary):
            with open(summary, encoding="utf-8") as text:
                found = json.load(text)
        return master.returncode, said, found
