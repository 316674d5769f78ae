"""mpi_kills.py: what is left of a job of MPI when one of its processes is killed.

Kills wait for results in the journal, never for a time.
"""
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
            self.kill(launcher, whom)

    def begin(self, launcher, folder, *options):
        words = ["--image", self.image, "--response", "rectified", "--block", str(BLOCK), "--output",
                 f"{folder}/picture", "--stage-seconds", "0.003", "--summary"]
        command = [*LAUNCHERS[launcher], "-n", str(RANKS), self.program, "run", "--quiet",
                   "--policy", "ss", "--retries", "50", "--heartbeat", "0.2", "--journal",
                   f"{folder}/journal", *options, "--", *words]
        with open(f"{folder}/out", "ab") as out, open(f"{folder}/err", "ab") as err:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    env=mpi_jobs.environment(), start_new_session=True)

    def conclude(self, folder, job, expected=0):
        status = job.wait(LIMIT_S)
        said = read(f"{folder}/out").decode()
        check(status == expected, f"exit {status}: {said}{read(f'{folder}/err').decode()}")
        summary = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        check(summary and all(one["digest"] == self.digest for one in summary), said)
        counted = subprocess.run(["sqlite3", "-readonly", f"{folder}/journal",
                                  "SELECT first, units FROM results"], capture_output=True,
                                 text=True, check=True).stdout
        units = []
        for first, count in (map(int, line.split("|")) for line in counted.splitlines()):
            units += range(first, first + count)
        check(sorted(units) == list(range(UNITS)), f"not each unit once: {sorted(units)}")
        check(not mpi_jobs.find(self.program, f"{folder}/journal"), "processes are left")

    def kill(self, launcher, whom):
        """`whom`: "worker", "master" or "child". Resumes what does not survive that."""
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="loadstar-mpi-") as folder:
            job = self.begin(launcher, folder)
            victims = mpi_jobs.await_ranks(self.program, f"{folder}/journal", RANKS)
            at = CHANCE.randint(1, UNITS * 2 // 3)
            check(await_results(job, f"{folder}/journal", at), f"over before {at} results")
            if whom == "child":
                victim = CHANCE.choice(mpi_jobs.children(self.program, f"{folder}/journal"))
            else:
                victim = victims[0 if whom == "master" else CHANCE.randint(1, RANKS - 1)]
            os.kill(victim, signal.SIGKILL)
            survives = whom == "child" or (whom == "worker" and launcher in SURVIVORS)
            if not survives:
                check(job.wait(LIMIT_S) != 0 or launcher == "recovery", "the job ends well")
                job = self.begin(launcher, folder, "--resume")
            expected = SURVIVORS[launcher] if survives and whom == "worker" else 0
            self.conclude(folder, job, expected)
            print(f"ok: {launcher}: a {whom} is killed behind result {at} "
                  f"({time.monotonic() - begun:.1f} s)", flush=True)
