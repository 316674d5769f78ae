"""rank_job.py: a job whose workers are ranks of MPI, under a launcher that lets survivors go on."""
import os
import subprocess
import sys

from job import Job

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "cli"))
import mpi_jobs  # noqa: E402


class RankJob(Job):
    """`master` is the launcher here; rank 0 is the master of the run."""

    outlives_master = True

    def __init__(self, program, tasks, options, launcher, more, preload=None):
        super().__init__(program, tasks, options, preload)
        self.launcher, self.more = launcher, more

    def command(self):
        return [*self.launcher, *super().command()]

    def has_begun(self):
        """Has a rank begun a task? (Behind a resumed run there may be none.)"""
        return any(e.session == self.session for e in self.executions())

    def environment(self):
        return dict(super().environment(), **self.more)

    def ranks(self):
        """Process ids by rank."""
        return mpi_jobs.ranks(self.program, self.journal)

    def master_process(self):
        return self.ranks().get(0)

    def worker_ranks(self):
        return [process for rank, process in sorted(self.ranks().items()) if rank > 0]

    def tasks_at_work(self):
        """Process ids of the commands that ranks run now."""
        ranks = self.worker_ranks()
        return [e.process for e in self.executions()
                if e.end is None and e.session == self.session and e.worker in ranks and
                os.path.exists(f"/proc/{e.process}")]


def is_there(command):
    """Does this launcher start anything here?"""
    try:
        return subprocess.run([*command, "-n", "1", "true"], env=mpi_jobs.environment(), timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
