"""why_race: ways of doing one job take turns, and become rows of a table.

A way is what a user types: the lines run in bash, in a fresh folder, and docs/why.md shows the
same lines.
"""
import dataclasses
import math
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

OURS = "Loadstar"
EQUAL = 1.05  # within this factor two medians are called equal on a machine that others use, too
FOREVER_S = 5  # so long nothing happens behind the last task that can end
IN_TASK_S = 0.04  # so long after the beginning of a task is in the middle of it
LIMIT_S = 300


@dataclasses.dataclass
class Way:
    """How one tool does the job. `count` is what its figures are divided by."""
    tool: str
    lines: list
    count: int = 1
    needs: str = ""

    def is_here(self):
        return all(shutil.which(program) for program in self.needs.split())


@dataclasses.dataclass
class Row:
    """A figure of a peer next to ours. None: it is not on this machine."""
    title: str
    what: str
    ours: float | None
    tool: str
    theirs: float | None
    lead: float | None  # the median over the turns of theirs / ours

    def better(self):
        if self.theirs is None:
            return ""
        if self.theirs == self.ours or (self.lead and 1 / EQUAL <= self.lead <= EQUAL):
            return "equal"
        return OURS if self.theirs > self.ours else "peer"


@dataclasses.dataclass
class Outcome:
    """What is left of one turn of one way."""
    way: Way
    folder: str
    seconds: list  # of each line
    statuses: list
    said: str  # standard error of all lines

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as text:
                return text.read().splitlines()
        except (FileNotFoundError, IsADirectoryError):
            return []

    def last_s(self):
        return self.seconds[-1]


def children(pid):
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as text:
                found += map(int, text.read().split())
    except OSError:
        pass
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def kill_tree(pid):
    """kill -9 of a process and all that came of it; who is stopped starts nobody meanwhile."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        send(one, signal.SIGSTOP)
        found.append(one)
        waiting += children(one)
    for one in found:
        send(one, signal.SIGKILL)


def count_lines(path):
    try:
        with open(path, "rb") as text:
            return text.read().count(b"\n")
    except FileNotFoundError:
        return 0


def run_line(line, folder, errors, kill_at=None, stuck_at=None):
    """Seconds and status of a line. It is killed in the middle of task `kill_at` (by `ran`);
    where `ended` has `stuck_at` lines, and stays so, it would last for ever: infinite seconds."""
    begin = time.monotonic()
    with open(os.devnull, "rb") as nothing, open(errors, "ab") as said:
        process = subprocess.Popen(["bash", "-c", line], cwd=folder, stdin=nothing,
                                   stdout=subprocess.DEVNULL, stderr=said)
    since = half_since = None
    while process.poll() is None:
        time.sleep(0.002)
        now = time.monotonic()
        if kill_at and half_since is None and count_lines(f"{folder}/ran") >= kill_at:
            half_since = now
        if half_since and now - half_since > IN_TASK_S:
            kill_tree(process.pid)
        if stuck_at and since is None and count_lines(f"{folder}/ended") >= stuck_at:
            since = now
        if (since and now - since > FOREVER_S) or now - begin > LIMIT_S:
            kill_tree(process.pid)
            process.wait()
            return math.inf, None
    return time.monotonic() - begin, process.returncode


def run_way(way, folder, prepare, between=None, **more):
    """One turn, in this folder."""
    prepare(folder)
    seconds, statuses = [], []
    for number, line in enumerate(way.lines):
        if number > 0 and between:
            between(folder)
        duration, status = run_line(line, folder, f"{folder}/errors",
                                    kill_at=None if number else more.get("kill_at"),
                                    stuck_at=more.get("stuck_at"))
        seconds.append(duration)
        statuses.append(status)
    with open(f"{folder}/errors", encoding="utf-8", errors="replace") as text:
        return Outcome(way, folder, seconds, statuses, text.read())


class Race:
    """A demonstration: its ways, in turns, and the rows that come of them."""

    def __init__(self, title, turns):
        self.title, self.turns = title, turns
        self.rows, self.ways = [], []

    def run(self, ways, figures, prepare=lambda folder: None, **more):
        """The first way is ours. `figures`: name to a function of an Outcome; less is better."""
        self.ways += ways
        if not more.pop("is_possible", True):
            self.rows += [Row(self.title, what, None, way.tool, None, None)
                          for what in figures for way in ways[1:]]
            return self
        here = [way for way in ways if way.is_here()]
        values = {(way.tool, what): [] for way in here for what in figures}
        must_succeed = more.pop("must_succeed", True)
        for _ in range(self.turns):
            for way in here:
                with tempfile.TemporaryDirectory(prefix="loadstar-why-",
                                                 ignore_cleanup_errors=True) as folder:
                    outcome = run_way(way, folder, prepare, **more)
                    if must_succeed and any(outcome.statuses):
                        raise SystemExit(f"why: {way.lines}: {outcome.statuses}: {outcome.said}")
                    for what, figure in figures.items():
                        values[way.tool, what].append(figure(outcome) / way.count)
        for what in figures:
            ours = values[ways[0].tool, what]
            for way in ways[1:]:
                self.rows.append(self.compare(what, ours, way.tool, values.get((way.tool, what))))
        return self

    def compare(self, what, ours, tool, theirs):
        middle = statistics.median(ours)
        if theirs is None:
            return Row(self.title, what, middle, tool, None, None)
        is_ratio = all(0 < value < math.inf for value in ours + theirs)
        lead = statistics.median(b / a for a, b in zip(ours, theirs)) if is_ratio else None
        return Row(self.title, what, middle, tool, statistics.median(theirs), lead)


def figure_text(value):
    if value is None:
        return "not here"
    if value == math.inf:
        return "does not end"
    return f"{value:.0f}" if value == int(value) or value >= 1000 else f"{value:.3g}"


def table(races):
    """One table of all rows."""
    yield "| demonstration | figure (less is better) | Loadstar | peer | its figure | " \
          "peer ÷ Loadstar | better |"
    yield "| --- | --- | ---: | --- | ---: | ---: | --- |"
    for number, race in enumerate(races, 1):
        for row in race.rows:
            lead = "" if row.lead is None else f"{row.lead:.2f}"
            yield (f"| {number}. {row.title} | {row.what} | {figure_text(row.ours)} | {row.tool} | "
                   f"{figure_text(row.theirs)} | {lead} | {row.better()} |")


def commands(race):
    """The lines that were typed, by tool."""
    for way in race.ways:
        if way.lines:
            yield f"    # {way.tool}"
            for line in way.lines:
                yield from (f"    {part}" for part in line.splitlines())
