"""slurm_cluster: a real Slurm for tests, and what they ask of it."""
import os
import shutil
import subprocess
import time

SLURM = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "slurm", "slurm-up")
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "sqlite3")
failures = []


def check(what, got, expected=True, more=""):
    if got == expected:
        print(f"ok: {what}", flush=True)
    else:
        failures.append(what)
        print(f"FAILED: {what}: got {got!r}, expected {expected!r} {more}", flush=True)


def wait_for(condition, what, seconds=120):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.1)


def find_lacking():
    """Why no Slurm can come up here; '': it can."""
    lacking = [name for name in NEEDED if shutil.which(name) is None]
    if os.geteuid() == 0 and not lacking:
        return ""
    return f"needs root and Slurm ({' '.join(lacking) or 'not root'})"


class Cluster:
    """Raises CalledProcessError where none comes up."""

    def __init__(self, folder, preempt="requeue", nodes=4, grace=3, cpus=2,
                 first_job=1):
        self.folder, self.nodes = folder, nodes
        try:
            subprocess.run([SLURM, "up", folder, "--nodes", str(nodes), "--preempt", preempt,
                            "--grace", str(grace), "--cpus", str(cpus), "--first-job",
                            str(first_job)], check=True)
        except subprocess.CalledProcessError:
            subprocess.run([SLURM, "down", folder], check=False, capture_output=True)
            raise
        self.environment = dict(os.environ, SLURM_CONF=os.path.join(folder, "slurm.conf"))

    def say(self, *words):
        return subprocess.run(words, check=True, env=self.environment, capture_output=True,
                              text=True).stdout.strip()

    def jobs(self, state=None):
        """The jobs that Slurm has now, each of an array for itself: "12", "13_1"."""
        lines = self.say("squeue", "-h", "-r", "-o", "%i %T").splitlines()
        return [line.split()[0] for line in lines if state in (None, line.split()[1])]

    def tell(self, verb, node):
        subprocess.run([SLURM, verb, self.folder, node], check=True)

    def take_nodes(self, partition="urgent", seconds=3, nodes=None):
        """What is more important takes nodes for a while."""
        return self.say("sbatch", "--parsable", "-N", str(nodes or self.nodes), "--exclusive", "-p",
                        partition, "-o", "/dev/null", "--wrap", f"sleep {seconds}")

    def down(self):
        subprocess.run([SLURM, "down", self.folder], check=True)
