"""seed.py: one seed: a job, the conditions that it meets, what they did; and many of them."""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import threading
import time

from checks import DAMAGE, RUN_ENDS, check_all, check_outputs
from job import give_up_root, send, sleep_until, uptime
from proxy import wait_until

SETTLE_S = 12  # in which the limits that a trouble made pass: beats, grants, time away


class Starts:
    """How long a program takes to start while this is used, at most: on a busy machine a lot."""

    def __init__(self):
        self.most_s, self.is_over = 0, False
        threading.Thread(target=self.probe, daemon=True).start()

    def probe(self):
        while not self.is_over:
            begin = time.monotonic()
            subprocess.run(["true"], check=False)
            self.most_s = max(self.most_s, time.monotonic() - begin)
            time.sleep(0.5)

    def slowest_s(self):
        """The end of it."""
        self.is_over = True
        return self.most_s


class Seed:
    """Who derives from this makes `job`, `kinds` and `place`, and may know more conditions."""

    end_patience_s = 4  # within which a run ends that had to

    def __init__(self, arguments, seed):
        self.chance = random.Random(seed)
        self.is_long = arguments.long
        self.troubles, self.words = [], []
        self.job, self.kinds, self.place = None, [], ""

    def choose_kinds(self, kinds, kind):
        self.kinds = [self.chance.choice(kinds) for _ in range(self.chance.choice([1, 1, 2, 3]))]
        if kind:
            self.kinds = [kind]

    def choose_tasks(self):
        tasks = [(self.chance.choice([0.02, 0.2, 0.6, 1.5]), self.chance.choice([0, 0, 100, 20000]))
                 for _ in range(self.chance.randint(20, 40))]
        tasks[self.chance.randrange(len(tasks) // 2)] = (5.0, 0)
        return tasks

    def choose_options(self):
        return self.chance.choice([[], ["-k"], ["--prefetch", "4"], ["--policy", "ss"],
                                   ["--policy", "fac2"]])

    # ---- conditions: each returns as what it counts where that is not its own name ----

    def stall(self, process, seconds):
        if process is None or not send(process, signal.SIGSTOP):
            return
        time.sleep(seconds)
        send(process, signal.SIGCONT)

    def stutter(self, process, seconds):
        """It has a tenth of its time."""
        for _ in range(round(seconds / 0.22)):
            self.stall(process, 0.2)
            time.sleep(0.02)

    def duration(self, short, long):
        return self.chance.choice(long if self.is_long else short)

    def stall_master(self):
        self.stall(self.job.master_process(), self.duration([1, 4, 9], [4, 26, 60]))

    def stall_reader(self):
        self.stall(self.job.reader.pid, self.duration([2, 6], [26, 60]))

    def slow_reader(self):
        self.stutter(self.job.reader.pid, self.duration([2.2, 4.4], [13.2]))

    def kill_reader(self):
        send(self.job.reader.pid, signal.SIGKILL)

    def kill_pipeline(self):
        """As the end of a job's time does: nobody reads any more what is on its way."""
        send(self.job.reader.pid, signal.SIGKILL)
        send(self.job.master_process(), signal.SIGKILL)

    def kill_master(self):
        send(self.job.master_process(), signal.SIGKILL)

    def lose_worker(self):
        """So that a replacement is needed just when something is scarce, where there are any."""

    def set_soft_limit(self, process, which, value):
        """As the user of the job: root itself may lack the right."""
        done = subprocess.run([*self.job.prefix, "prlimit", "--pid", str(process),
                               f"--{which}={value}:"], check=False, capture_output=True, text=True)
        if done.returncode != 0 and os.path.exists(f"/proc/{process}"):
            raise OSError(f"prlimit of {process}: {done.stderr}")

    def lower(self, which, value, processes):
        """Lowers the soft limit of these processes for a while, in which a worker is lost."""
        number = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC,
                  "as": resource.RLIMIT_AS}[which]
        kept = resource.getrlimit(number)[0]
        for process in processes:
            self.set_soft_limit(process, which, value)
        self.lose_worker()
        time.sleep(self.duration([1, 3], [20]))
        for process in processes:
            self.set_soft_limit(process, which, "unlimited" if kept < 0 else kept)

    def lower_files(self, process):
        try:
            used = len(os.listdir(f"/proc/{process}/fd"))
        except OSError:
            return
        self.lower("nofile", used + 1, [process])

    def lower_memory(self, process):
        try:
            with open(f"/proc/{process}/statm", encoding="ascii") as text:
                used = int(text.read().split()[0]) * resource.getpagesize()
        except OSError:
            return
        self.lower("as", used, [process])

    def disk(self, mood, text, seconds):
        path = self.job.path(f"disk/{mood}")
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
        time.sleep(seconds)
        os.unlink(path)

    def slow_disk(self):
        self.disk("slow", str(self.chance.choice([5, 100, 1000])), self.duration([3, 6], [40]))

    def full_disk(self):
        self.disk("full", "", self.duration([3, 5], [9]))

    def pass_over(self, kind):
        begin = uptime()
        counts_as = getattr(self, kind.replace("-", "_"))() or kind
        self.words.append(f"{kind} {uptime() - begin:.1f} s")
        self.troubles.append((counts_as, begin - 0.1, uptime() + SETTLE_S))

    def full_tmpdir(self):
        self.disk("full-tmpdir", "", self.duration([3, 5], [9]))

    def flip_bits(self):
        """A bit of the journal, or of an output that it keeps, while nobody runs."""
        send(self.job.master_process(), signal.SIGKILL)
        self.job.wait(60)
        wait_until(lambda: not self.job.processes(), 30)
        found = [os.path.join(top, name) for top, _, names in os.walk(self.job.path("disk"))
                 for name in names if name.startswith("journal") or "outputs" in top]
        path = self.chance.choice(sorted(found) or [os.devnull])
        with open(path, "r+b") as file:
            size = os.path.getsize(path)
            if size == 0:
                return
            place = self.chance.randrange(size)
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ (1 << self.chance.randrange(8))]))
        self.words.append(f"a bit of {os.path.basename(path)} at {place} of {size}")

    # ---- one seed ----

    def begin(self):
        self.job.start()

    def has_to_end(self, kind):
        return kind in RUN_ENDS

    def expected_after(self, kind):
        """Exit statuses of a run that had to end, or might."""
        # Where memory ends, libzmq ends the process by itself.
        return {"kill-master": (0, -signal.SIGKILL), "kill-reader": (0, -signal.SIGPIPE),
                "kill-pipeline": (0, -signal.SIGKILL), "flip-bits": (0, -signal.SIGKILL),
                "little-memory": (0, 3, -signal.SIGABRT)}.get(kind, (0, 3))

    def expected_at_end(self):
        return (0,)

    def is_over(self, status):
        """Is there nothing to be resumed, as far as its status tells?"""
        return status == 0

    def end_guests(self):
        """What those say who joined."""
        return []

    def run(self):
        """The findings."""
        findings, starts = [], Starts()
        self.begin()
        for kind in self.kinds:
            sleep_until(self.job, uptime() + self.chance.uniform(0.3, 3))
            if self.job.master.poll() is None:
                self.pass_over(kind)
            findings += self.restart_after(kind)
        status = self.job.wait(300 if self.is_long else 120)
        if status is None:
            return [*findings, f"the run does not end: {self.job.words()[-600:]}"]
        if "flip-bits" in self.kinds and status != 0 and re.search(DAMAGE, self.job.words()):
            self.words.append(f"the journal was refused with {status}")
            return [*findings, *self.end_guests(), *check_outputs(self.job)]
        if status not in self.expected_at_end():
            findings.append(f"exit status {status}: {self.job.words()[-600:]}")
        return findings + self.end_guests() + check_all(self.job, self.troubles, starts.slowest_s())

    def restart_after(self, kind):
        """A run that had to end is resumed; that it ended otherwise is a finding."""
        patience_s = 60 if kind == "kill-reader" else self.end_patience_s  # It hears of it when it writes.
        if not self.has_to_end(kind) or not wait_until(lambda: self.job.master.poll() is not None,
                                                       patience_s):
            return []
        # A reader may be missed late; until then it costs nothing.
        if self.troubles and self.troubles[-1][0] == kind:
            self.troubles[-1] = (*self.troubles[-1][:2], uptime() + SETTLE_S)
        status, findings = self.job.wait(60), []
        if status not in self.expected_after(kind):
            findings.append(f"exit status {status} after {kind}: {self.job.words()[-600:]}")
        if not self.is_over(status):
            self.words.append(f"ended with {status}, resumed")
            self.begin()
        return findings

    def close(self):
        self.job.close()


def pass_seed(make, arguments, seed, kind):
    """The lines to print about one seed, and whether all held."""
    weather, begin = make(arguments, seed, kind), time.monotonic()
    try:
        findings = weather.run()
    except (OSError, sqlite3.Error) as failure:
        findings = [f"the harness failed: {failure}"]
    finally:
        weather.close()
    return [f"seed {seed} {weather.place}: {', '.join(weather.words)}; "
            f"{time.monotonic() - begin:.0f} s: {'ok' if not findings else 'NOT OK'}",
            *(f"  {words}" for words in findings)]


def kinds_here(kinds, program):
    """Those that this user can make."""
    if os.geteuid() != 0 or give_up_root(program):
        return kinds
    print(f"without few-processes: root is bound by no limit, and nobody else may run {program}",
          flush=True)
    return [kind for kind in kinds if kind != "few-processes"]


def make_parser(kinds, files=("program", "preload")):
    parser = argparse.ArgumentParser()
    for name in files:
        parser.add_argument(name)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=sorted(kinds))
    parser.add_argument("--tour", action="store_true")
    parser.add_argument("--long", action="store_true")
    return parser


def forecast(arguments, tour):
    """(seed, kind) one after another; kind None: by chance."""
    if arguments.tour:
        yield from ((arguments.seed, kind) for kind in tour)
        return
    seed, until = arguments.seed, time.monotonic() + arguments.seconds
    while seed < arguments.seed + arguments.seeds or time.monotonic() < until:
        yield seed, arguments.only
        seed += 1


def pass_all(make, arguments, tour):
    """All seeds that were asked for; the exit status. `tour`: every kind once."""
    passed = failed = 0
    running = set()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        coming = forecast(arguments, tour)
        while True:
            while len(running) < arguments.jobs and (at := next(coming, None)) is not None:
                running.add(pool.submit(pass_seed, make, arguments, *at))
            if not running:
                break
            done, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED)
            for lines in (future.result() for future in done):
                print("\n".join(lines), flush=True)
                failed += len(lines) > 1
                passed += len(lines) == 1
    print(f"{passed + failed} seeds, {failed} with findings")
    return 1 if failed or passed == 0 else 0
