"""star.py: a master and workers in network namespaces of their own, behind links of known rates.

Kinds of links: `wires`: each worker has its own; `hub`: one uplink at the master is shared by all.  Both may
have a delay.  Needs root and iproute2; whoever has neither asks `why_not` first.
"""
import contextlib
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import typing

MASTER = "10.77.0.1"
JOIN_S = 60  # within which a worker joins, on a machine that is loaded
NUMBERS = itertools.count(1)  # of the stars of this process
SENDER = """
import socket, sys
server = socket.create_server((sys.argv[1], 5501))
print("ready", flush=True)
server.accept()[0].sendall(bytes(int(sys.argv[2])))
"""
RECEIVER = """
import socket, sys, time
line = socket.create_connection((sys.argv[1], 5501))
first, count = len(line.recv(1 << 16)), 0
begun_s = time.monotonic()
while piece := line.recv(1 << 16):
    count += len(piece)
print(8e-6 * count / (time.monotonic() - begun_s))
"""


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


def find_losses(journal, workers, said):
    """What the journal and the words of a run under -v say of workers that did not stay."""
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as base:
        away = base.execute("SELECT count(*) FROM workers WHERE away_s > 0").fetchone()[0]
        more = base.execute("SELECT count(*) FROM workers").fetchone()[0] - workers
        made = base.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'slots'").fetchone()[0]
        slots = [row for row in base.execute("SELECT kind, why FROM slots")
                 if row[0] in ("lost", "suspended")] if made else []
    return [*([f"{away} workers were away"] if away else []), *([f"{more} workers joined again"] if more else []),
            *(f"slot {kind}: {why}" for kind, why in slots),
            *(line for line in said.splitlines() if "lost" in line or "suspended" in line)]


class Ended(typing.NamedTuple):
    status: int
    said: str  # on standard error
    summary: dict


class Star:
    """`rates`: Mbit/s of each worker's wire, None: no bound; `hub`: of the master's, None: no bound;
    `delays_ms`: of each wire, one way.  Wires with a delay, which can be changed, are those of the program
    `wire` (delayed_wire), the others are the kernel's."""

    def __init__(self, rates, hub=None, delays_ms=None, wire=None):
        self.rates, self.hub, self.delays_ms = rates, hub, delays_ms or [None] * len(rates)
        self.wire, self.wires = wire, {}  # by host
        self.prefix = f"lss{os.getpid()}x{next(NUMBERS)}"
        self.switch, self.master = f"{self.prefix}-sw", f"{self.prefix}-m"
        self.hosts = [f"{self.prefix}-w{i + 1}" for i in range(len(rates))]
        self.folder = tempfile.TemporaryDirectory(prefix="loadstar-star-")
        self.program = self.session = None
        self.factors, self.workers = None, []  # processes; the last one of a host counts
        self.slow = {}  # STAR_SLOW by host

    def __enter__(self):
        try:
            self._ip("netns", "add", self.switch)
            self._ip("-n", self.switch, "link", "add", "br0", "type", "bridge", "forward_delay", "0")
            self._ip("-n", self.switch, "link", "set", "br0", "up")
            self._ip("netns", "add", self.master)
            self._join(self.master, "to-m", self.hub)
            self._address(self.master, MASTER, "to-m")
            for at, name in enumerate(self.hosts):
                self._ip("netns", "add", name)
                if self.delays_ms[at] is None:
                    self._join(name, f"to-w{at + 1}", self.rates[at])
                else:
                    self._join_late(at)
                self._address(name, f"10.77.0.{11 + at}", f"to-w{at + 1}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._end()
        for wire in self.wires.values():
            wire.kill()
            wire.communicate()
        for name in [self.switch, self.master, *self.hosts]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        self.folder.cleanup()

    @staticmethod
    def _ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def _join(self, name, short, rate):
        """What was saved while the link was idle, the burst, travels at once: so it is as little as timers bear."""
        self._ip("link", "add", "e0", "netns", name, "type", "veth", "peer", "name", short, "netns", self.switch)
        for space, device in ((name, "e0"), (self.switch, short)):
            if rate:
                subprocess.run(["tc", "-n", space, "qdisc", "add", "dev", device, "root", "tbf", "rate",
                                f"{rate}mbit", "burst", str(max(4096, int(rate * 190))), "latency", "60ms"],
                               check=True)

    def _join_late(self, at):
        self.wires[at] = subprocess.Popen(
            [self.wire, self.hosts[at], "e0", self.switch, f"to-w{at + 1}", str(self.delays_ms[at]),
             str(self.rates[at] or 0)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.wires[at].stdout.readline()

    def _address(self, name, address, short):
        self._ip("-n", name, "link", "set", "lo", "up")
        self._ip("-n", name, "addr", "add", f"{address}/24", "dev", "e0")
        self._ip("-n", name, "link", "set", "e0", "up")
        self._ip("-n", self.switch, "link", "set", short, "up", "master", "br0")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def stream_mbit(self, at, count):
        """Mbit/s of payload of a plain stream of so many bytes from the master to a host."""
        receiver = [sys.executable, "-c", RECEIVER, MASTER]
        with subprocess.Popen(self._inside(self.master, sys.executable, "-c", SENDER, MASTER, str(count)),
                              stdout=subprocess.PIPE) as sender:
            sender.stdout.readline()
            got = subprocess.run(self._inside(self.hosts[at], *receiver), check=True, stdout=subprocess.PIPE)
        return float(got.stdout)

    # ---- what befalls it ----

    def cut(self, at):
        self._ip("-n", self.switch, "link", "set", f"to-w{at + 1}", "down")

    def mend(self, at):
        self._ip("-n", self.switch, "link", "set", f"to-w{at + 1}", "up")

    def delay(self, at, delay_ms):
        self.wires[at].stdin.write(f"{delay_ms}\n")
        self.wires[at].stdin.flush()

    # ---- runs ----

    @staticmethod
    def _inside(space, *words):
        return ["ip", "netns", "exec", space, *words]

    def at_master(self, *words):
        return self._inside(self.master, *words)

    def begin(self, program, options, words, factors=None):
        """A master, and a worker at each host, who join by TCP under keys, one after another, so that slots are in
        the order of the hosts; `factors`: STAR_FACTOR by host."""
        self.program, self.factors, self.workers = program, factors, []
        for name in (self.path("run.key"), self.path("summary.json")):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
        count = str(len(self.hosts))
        with open(self.path("said"), "wb") as said, open(self.path("out"), "wb") as out:
            self.session = subprocess.Popen(
                self._inside(self.master, program, "run", "-v", "--no-local", "--listen", f"tcp://{MASTER}:5500", "--key",
                             self.path("run.key"), f"--json={self.path('summary.json')}", "--workers", count,
                             "--workers-min", count, *options, "--", *words),
                stdin=subprocess.DEVNULL, stdout=out, stderr=said, cwd=self.folder.name)
        self._wait_for(lambda: os.path.exists(self.path("run.key")) and os.path.getsize(self.path("run.key")) > 0)
        for at in range(len(self.hosts)):
            self.workers.append(self._start_worker(at))
            self._wait_for(lambda at=at: f"worker {at} joined" in self.words())

    def _wait_for(self, condition):
        """Until it holds, or the run is over, which then says why."""
        until = time.monotonic() + JOIN_S
        while not condition() and self.session.poll() is None:
            if time.monotonic() > until:
                raise TimeoutError(f"no worker joined within {JOIN_S} s: {self.words()[-600:]}")
            time.sleep(0.01)

    def _start_worker(self, at):
        factor = {"STAR_FACTOR": str(self.factors[at])} if self.factors else {}
        if at in self.slow:
            factor["STAR_SLOW"] = str(self.slow[at])
        return subprocess.Popen(
            self._inside(self.hosts[at], self.program, "worker", "--key", self.path("run.key"), "--name",
                         f"w{at + 1}"),
            env={**os.environ, **factor}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def replace_worker(self, at):
        """Kills the one of this host, and another one joins."""
        self.workers[at].kill()
        self.workers[at].wait()
        self.workers[at] = self._start_worker(at)

    def words(self):
        with open(self.path("said"), encoding="utf-8", errors="replace") as said:
            return said.read()

    def wait(self, patience_s=300):
        """The run's end; TimeoutExpired where it does not come."""
        self.session.wait(patience_s)
        summary = {}
        if os.path.exists(self.path("summary.json")):
            with open(self.path("summary.json"), encoding="utf-8") as text:
                summary = json.load(text)
        return Ended(self.session.returncode, self.words(), summary)

    def wait_workers(self, patience_s):
        """Numbers of the hosts whose workers do not end by themselves."""
        until, left = time.monotonic() + patience_s, []
        for at, worker in enumerate(self.workers):
            try:
                worker.wait(max(0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                left.append(at + 1)
        return left

    def _end(self):
        for process in [self.session, *self.workers]:
            if process is not None:
                process.kill()
                process.wait()
        self.session, self.workers = None, []

    def run(self, program, options, words, factors=None, patience_s=300):
        """begin, wait; nobody is left."""
        self.begin(program, options, words, factors)
        try:
            return self.wait(patience_s)
        finally:
            self.leave()

    def leave(self):
        """Nobody is left of a run that has ended."""
        self.wait_workers(10)
        self._end()
