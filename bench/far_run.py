"""far_run.py: runs of the real program, local or with workers that come over a network of their own.

What a run says on standard error is stamped as it is read: how soon a user could know it.
"""
import contextlib
import json
import os
import re
import statistics
import subprocess
import tempfile
import threading
import time

PATIENCE_S = 300


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} did not happen within {PATIENCE_S} s")
        time.sleep(0.005)


def children(process):
    """Process ids of its children, of all its threads."""
    found = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as text:
                found += map(int, text.read().split())
    return found


def descendants(process):
    found = children(process)
    for child in found:
        found += children(child)
    return found


def name_of(process):
    with contextlib.suppress(OSError):
        with open(f"/proc/{process}/comm", encoding="ascii") as text:
            return text.read().strip()
    return ""


def find_lacking():
    """Why nothing runs in network namespaces here; None: it does."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    try:
        # `ip` takes the mounts apart, which is refused in a chroot whose root is no mount.
        with Link(0):
            return None
    except (OSError, subprocess.CalledProcessError) as why:
        return f"no network namespaces: {why}"


class Link:
    """Two network namespaces and a wire between them, which can be cut. Needs root."""

    def __init__(self, number):
        tag = f"{os.getpid() % 100000}x{number}"
        self.near, self.far, self.wire = f"lsb-near-{tag}", f"lsb-far-{tag}", f"lb{tag}"

    def __enter__(self):
        try:
            self._lay()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _lay(self):
        for name in (self.near, self.far):
            self._command("ip", "netns", "add", name)
            self._command("ip", "-n", name, "link", "set", "lo", "up")
        self._command("ip", "link", "add", f"{self.wire}a", "netns", self.near, "type", "veth",
                      "peer", "name", f"{self.wire}b", "netns", self.far)
        for name, end, host in ((self.near, "a", 1), (self.far, "b", 2)):
            self._command("ip", "-n", name, "addr", "add", f"10.213.7.{host}/30", "dev",
                          self.wire + end)
            self._command("ip", "-n", name, "link", "set", self.wire + end, "up")

    def __exit__(self, *_):
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)

    @staticmethod
    def _command(*words):
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    def set(self, state):
        self._command("ip", "-n", self.far, "link", "set", f"{self.wire}b", state)


class Run:
    """One run of command lines. Each notes its number in `begun` when it begins."""

    def __init__(self, program, options, script, tasks, link=None):
        self.program, self.link, self.tasks = program, link, tasks
        self.folder = tempfile.TemporaryDirectory()
        self.said, self.teams = [], []
        words = [program, "run", "-v", f"--json={self.path('summary')}",
                 f"--journal={self.path('journal')}", *options, "--", "bash", "-c",
                 f"echo $0 >>{self.path('begun')}; {script}", ":::", *map(str, range(tasks))]
        self.begun_s = time.monotonic()
        self.master = subprocess.Popen([*self._place("near"), *words], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    @classmethod
    def far(cls, program, options, script, tasks, link=None):
        """A run that has no workers here: `join` brings them."""
        address = "tcp://10.213.7.1:*" if link else "tcp://127.0.0.1:*"
        return cls(program, ["--no-local", "--listen", address, *options], script, tasks, link)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*descendants(self.master.pid), self.master.pid,
                        *(p for team in self.teams for p in [*descendants(team.pid), team.pid])]:
            with contextlib.suppress(OSError):
                os.kill(process, 9)
        for process in (self.master, *self.teams):
            process.wait()
        self.reader.join()
        self.folder.cleanup()

    def _place(self, end):
        if self.link is None:
            return []
        return ["ip", "netns", "exec", self.link.near if end == "near" else self.link.far]

    def _read(self):
        for line in self.master.stderr:
            self.said.append((time.monotonic(), line.decode(errors="replace")))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def words(self):
        return "".join(text for _, text in self.said)

    def join(self, workers):
        """Processes of workers that come with the run's key."""
        pattern = re.compile(r"--key (\S+)")
        wait_for(lambda: pattern.search(self.words()) or self.master.poll() is not None, "the key")
        key = pattern.search(self.words()).group(1)
        teams = [subprocess.Popen([*self._place("far"), self.program, "worker", "--key", key],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                 for _ in range(workers)]
        self.teams += teams
        return teams

    def local_workers(self):
        return [p for p in descendants(self.master.pid) if name_of(p) == "loadstar-worker"]

    def begun(self):
        with contextlib.suppress(FileNotFoundError):
            with open(self.path("begun"), encoding="ascii") as text:
                return text.read().split()
        return []

    def noted(self, pattern, since_s=0):
        """When a line with the pattern was read, at the earliest since then; None: not yet."""
        found = re.compile(pattern)
        return next((at for at, text in list(self.said) if at >= since_s and found.search(text)),
                    None)

    def wait_note(self, pattern, since_s=0):
        wait_for(lambda: self.noted(pattern, since_s) is not None or
                 self.master.poll() is not None, pattern)
        at = self.noted(pattern, since_s)
        if at is None:
            raise RuntimeError(f"the run ended without '{pattern}': {self.words()[-900:]}")
        return at

    def finish(self):
        """The summary of a run that must end well, and must have counted every task once."""
        status = self.master.wait(PATIENCE_S)
        self.reader.join()
        with open(self.path("summary"), encoding="utf-8") as text:
            summary = json.load(text)
        if status != 0 or summary["done"] != self.tasks:
            raise RuntimeError(f"exit {status}, {summary['done']} of {self.tasks} tasks: "
                               f"{self.words()[-900:]}")
        return summary


def report(what, values, reach, **more):
    """One line; whether the median is within the reach."""
    value = statistics.median(values)
    print(json.dumps({"what": what, "turns": len(values), "median": round(value, 4),
                      "worst": round(max(values), 4), "reach": reach, **more}), flush=True)
    return value <= reach
