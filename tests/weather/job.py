"""job.py: one run under bad weather: its folder, its sessions, its processes, what it recorded.

Every execution of a task writes lines of its own: when it began and ended by the machine's uptime,
in which session, for which worker (its parent).  From these the checks are made.
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import uuid

from proxy import wait_until

NOBODY = 65534
TASK = """#!/bin/sh
read -r up _ </proc/uptime
echo "start $up $SESSION $$ $PPID" >>"$RECORDS/$1"
sleep "$2"
[ "$3" -eq 0 ] || head -c "$3" /dev/zero | tr '\\0' '.'
read -r up _ </proc/uptime
echo "end $up $SESSION $$ $PPID" >>"$RECORDS/$1"
echo "
result of $1"
"""
# What it has taken from the pipe is in the file, whenever it is killed: cat may have it in its hands.
READER = "import os\nwhile os.splice(0, 1, 1 << 20): pass\n"


def uptime():
    with open("/proc/uptime", encoding="ascii") as text:
        return float(text.read().split()[0])


def give_up_root(program):
    """Words that start this program as nobody: limits on processes bind nobody who is root. None
    where this is not root, and where the program's folder is closed to others, as root's own is."""
    words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    if os.geteuid() != 0 or subprocess.run([*words, "test", "-x", program],
                                           check=False).returncode != 0:
        return []
    return words


class Execution:
    """One start of a task; `end` is None where it was ended by somebody or still runs."""

    def __init__(self, task, words):
        self.task, self.begin, self.end = task, float(words[1]), None
        self.session, self.process, self.worker = (int(word) for word in words[2:5])


class Job:
    """`loadstar run` over tasks of given seconds and output bytes, in a folder of its own."""

    outlives_master = False  # do its workers go on with what they have when the master dies?

    def __init__(self, program, tasks, options, preload=None):
        self.program, self.tasks, self.options = program, tasks, options
        self.tag, self.session = uuid.uuid4().hex, -1
        self.folder = f"/tmp/loadstar-weather-{self.tag[:12]}"
        self.master = self.reader = None
        self.guests, self.statuses, self.preload = [], [], preload
        self.spares_outputs = False  # does the reader lose nothing when it is killed?
        self.closed = ()  # descriptors that a session begins without
        for name in ("", "records", "tmp", "disk"):
            os.mkdir(os.path.join(self.folder, name))
        with open(self.path("task"), "w", encoding="ascii") as script:
            script.write(TASK)
        os.chmod(self.path("task"), 0o755)
        with open(self.path("inputs"), "w", encoding="ascii") as inputs:
            for number, (seconds, size) in enumerate(tasks):
                inputs.write(f"{number} {seconds:.3f} {size}\n")
        self.prefix = give_up_root(program)
        if self.prefix:
            for top, folders, files in os.walk(self.folder):
                for name in ["", *folders, *files]:
                    os.chown(os.path.join(top, name), NOBODY, NOBODY)

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def journal(self):
        return self.path("disk/journal")

    def environment(self):
        more = {"RECORDS": self.path("records"), "SESSION": str(self.session),
                "WEATHER_TAG": self.tag, "TMPDIR": self.path("tmp"), "HOME": self.folder,
                "XDG_CACHE_HOME": self.path("disk"), "WEATHER_DISK": self.path("disk")}
        if self.preload:
            more["LD_PRELOAD"] = self.preload
        return dict(os.environ, **more)

    def command(self):
        resume = ["--resume"] if self.session > 0 else []
        return [self.program, "run", *self.options, "--journal", self.journal, *resume, "-a",
                self.path("inputs"), "--shell", f"exec {self.path('task')} $(echo {{}})"]

    def master_process(self):
        return self.master.pid

    def start(self, limits=None):
        """Begins the next session; its output is read by a process that can be stopped."""
        self.session += 1
        # Whoever resumes after a kill does it when the processes of the dead one have gone.
        command = [*self.prefix, *self.command()]
        out, self.pipe = os.pipe()
        with open(self.path(f"out-{self.session}"), "wb") as kept:
            reader = [sys.executable, "-c", READER] if self.spares_outputs else ["cat"]
            self.reader = subprocess.Popen(reader, stdin=out, stdout=kept)
        with open(self.path(f"err-{self.session}"), "wb") as log:
            self.master = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=self.pipe, stderr=log,
                env=self.environment(), cwd=self.folder, preexec_fn=lambda: self._limit(limits, self.closed))
        os.close(out)
        os.close(self.pipe)

    @staticmethod
    def _limit(limits, closed=()):
        for descriptor in closed:
            os.close(descriptor)
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(signal_number, signal.SIG_DFL)
        for which, value in (limits or {}).items():
            resource.setrlimit(which, (value, value))

    def words(self):
        with open(self.path(f"err-{self.session}"), errors="replace", encoding="utf-8") as text:
            return text.read()

    def join(self, address, key, count):
        """Starts workers that join from outside, at this address."""
        for _ in range(count):
            with open(self.path("guests"), "ab") as log:
                self.guests.append(subprocess.Popen(
                    [*self.prefix, self.program, "worker", "--key", key, "--connect",
                     address],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment(),
                    cwd=self.folder, preexec_fn=lambda: self._limit(None)))

    def listening(self, seconds=20):
        """(host, port, key file) of a run that listens."""
        pattern = r"listens at tcp://([^:\s]+):(\d+); .*--key (\S+)"
        wait_until(lambda: re.search(pattern, self.words()) or self.master.poll() is not None,
                   seconds)
        found = re.search(pattern, self.words())
        if not found:
            raise OSError(f"the run tells no address: {self.words()[-500:]}")
        return found[1], int(found[2]), found[3]

    def wait(self, seconds):
        """The session's exit status, None where it does not end; its output is read whole."""
        try:
            self.statuses.append(self.master.wait(seconds))
        except subprocess.TimeoutExpired:
            return None
        self.reader.wait(60)
        return self.statuses[-1]

    def executions(self):
        """All executions so far, in the order in which they began."""
        found = []
        for task in range(len(self.tasks)):
            try:
                with open(self.path(f"records/{task}"), encoding="ascii") as text:
                    lines = [line.split() for line in text.read().splitlines()]
            except FileNotFoundError:
                continue
            for words in (words for words in lines if len(words) == 5):
                if words[0] == "start":
                    found.append(Execution(task, words))
                else:
                    open_ones = [e for e in found if e.task == task and e.process == int(words[3])]
                    if open_ones:
                        open_ones[-1].end = float(words[1])
        return sorted(found, key=lambda execution: execution.begin)

    def workers(self):
        """Process ids of the workers that compute something now."""
        living = {e.worker for e in self.executions()
                  if e.end is None and e.session == self.session}
        return sorted(worker for worker in living if os.path.exists(f"/proc/{worker}"))

    @staticmethod
    def is_worker(process):
        """Also one that computes nothing now."""
        try:
            with open(f"/proc/{process}/comm", encoding="ascii") as text:
                return text.read().strip() == "loadstar-worker"
        except OSError:
            return False

    def has_workers(self, process):
        """Is this the parent of workers that compute something now?"""
        parents = set()
        for worker in self.workers():
            try:
                with open(f"/proc/{worker}/stat", encoding="ascii") as text:
                    parents.add(int(text.read().rsplit(")", 1)[1].split()[1]))
            except OSError:
                pass
        return process in parents

    def processes(self):
        """Process ids of everything that this job started and that lives, zombies apart."""
        found, needle = [], f"WEATHER_TAG={self.tag}".encode()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as text:
                    if needle in text.read():
                        found.append(int(name))
            except OSError:
                pass
        return found

    def programs(self):
        """Those of them that are loadstar itself: master, pool, workers."""
        found = []
        for process in self.processes():
            try:
                with open(f"/proc/{process}/comm", encoding="ascii") as text:
                    if text.read().strip().startswith("loadstar"):
                        found.append(process)
            except OSError:
                pass
        return found

    def close(self):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for child in [self.master, self.reader, *self.guests]:
            if child is not None:
                child.kill()
                child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def send(process, number):
    """A signal to a process that may have gone (None: long ago); whether it was there."""
    if process is None:
        return False
    try:
        os.kill(process, number)
        return True
    except ProcessLookupError:
        return False


def sleep_until(job, moment):
    """Until the uptime, or the end of the master."""
    while uptime() < moment and job.master.poll() is None:
        time.sleep(0.02)
