"""mpi_kills.py: what is left of a job of MPI when one of its processes is killed.

Kills wait for results in the journal, never for a time.
"""
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

import mpi_jobs
from application_runs import CHANCE, await_results, check, read
from mpi_jobs import LAUNCHERS, LIMIT_S, SURVIVORS

RANKS, UNITS, BLOCK = 4, 256, 8


def kill_one(victims):
    try:
        os.kill(CHANCE.choice(victims), signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


class Kills:
    """Runs of the matched filter, whose digest tells of every unit."""

    def __init__(self, program, root):
        self.program, self.image = program, os.path.join(root, "apps/matched_filter/ct-small.pgm")
        with open(os.path.join(root, "tests/vectors/matched.json"), encoding="utf-8") as vectors:
            self.digest = next(record["expect"]["digest"] for record in json.load(vectors)["vectors"]
                               if record["id"].endswith("/ct-small-rectified-32-zero"))

    def kill_some(self, launcher, count):
        """So many workers, and then the master and a child, each in a run of its own."""
        for whom in ["worker"] * count + ["master", "child"]:
            attempts = 0
            while not self.kill(launcher, whom):
                attempts += 1
                check(attempts < 20, f"{launcher}: a run is always over before a {whom} is killed")

    @contextlib.contextmanager
    def begin(self, launcher, folder, *options):
        words = ["--image", self.image, "--response", "rectified", "--block", str(BLOCK), "--output",
                 f"{folder}/picture", "--stage-seconds", "0.01", "--summary"]
        command = [*LAUNCHERS[launcher], "-n", str(RANKS), self.program, "run", "--quiet",
                   "--policy", "ss", "--retries", "50", "--heartbeat", "0.2", "--journal",
                   f"{folder}/journal", *options, "--", *words]
        with open(f"{folder}/out", "ab") as out, open(f"{folder}/err", "ab") as err, \
                mpi_jobs.begun(command, stdout=out, stderr=err, env=mpi_jobs.environment()) as job:
            yield job

    @staticmethod
    def query(folder, words):
        return subprocess.run(["sqlite3", "-readonly", f"{folder}/journal", words], check=True,
                              capture_output=True, text=True).stdout

    def conclude(self, folder, job, expected=0):
        status = job.wait(LIMIT_S)
        said = read(f"{folder}/out").decode()
        check(status == expected, f"exit {status}: {said}{read(f'{folder}/err').decode()}")
        summary = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        check(summary and all(one["digest"] == self.digest for one in summary), said)
        units = []
        for row in self.query(folder, "SELECT first, units FROM results").splitlines():
            first, count = map(int, row.split("|"))
            units += range(first, first + count)
        check(sorted(units) == list(range(UNITS)), f"not each unit once: {sorted(units)}")
        until = time.monotonic() + LIMIT_S
        while left := mpi_jobs.find(self.program, f"{folder}/journal"):
            check(time.monotonic() < until, f"processes are left: {left}")
            time.sleep(0.05)

    def kill(self, launcher, whom):
        """`whom`: "worker", "master" or "child". Resumes what does not survive that. False: the run
        was over before, since looking at all processes takes its time."""
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="loadstar-mpi-") as folder, \
                contextlib.ExitStack() as jobs:
            job = jobs.enter_context(self.begin(launcher, folder))
            ranks = mpi_jobs.await_ranks(self.program, f"{folder}/journal", RANKS, job)
            at = CHANCE.randint(1, UNITS * 2 // 3)
            await_results(job, f"{folder}/journal", at)
            if whom == "child":
                victims = mpi_jobs.children(self.program, f"{folder}/journal")
            else:
                victims = [ranks[rank] for rank in ranks if (rank == 0) == (whom == "master")]
            if job.poll() is not None or not victims or not kill_one(victims):
                self.conclude(folder, job)
                return False
            survives = whom == "child" or (whom == "worker" and launcher in SURVIVORS)
            if not survives:
                check(job.wait(LIMIT_S) != 0 or launcher == "recovery", "the job ends well")
                job = jobs.enter_context(self.begin(launcher, folder, "--resume"))
            expected = SURVIVORS[launcher] if survives and whom == "worker" else 0
            self.conclude(folder, job, expected)
            # What it computed or read is one unit; 1: it failed.
            failed = self.query(folder, "SELECT total(units) FROM attempts WHERE outcome = 1")
            check(whom != "child" or float(failed) <= 1, f"{failed} units have failed")
            print(f"ok: {launcher}: a {whom} is killed behind result {at} "
                  f"({time.monotonic() - begun:.1f} s)", flush=True)
            return True
