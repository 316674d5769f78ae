"""mpi_jobs.py: launchers of MPI, as tests use them, and the processes that they start."""
import contextlib
import os
import re
import signal
import subprocess
import time

LIMIT_S = 240
# By names of tests; those of Slurm need one, of which SLURM_CONF tells.
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"],
             "recovery": ["mpirun.openmpi", "--oversubscribe", "--enable-recovery"],
             "mpich": ["mpirun.mpich"],
             "pmix": ["srun", "--mpi=pmix"],
             "pmi2": ["srun", "--mpi=pmi2"]}
# These go on when a process dies, and what they then answer for a run that ends well.
SURVIVORS = {"recovery": 0, "pmi2": 137}


def bare_environment():
    """What Open MPI wants of root, and what a user may have set; nothing of a launcher around us."""
    found = {name: value for name, value in os.environ.items()
             if not re.match("OMPI_(?!MCA_)|PMI|SLURM_(?!CONF)", name)}
    return dict(found, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def environment(**more):
    """The same for tests, where ranks are more than cores.

    Slurm 22.05 ends a fence of PMIx that goes through a tree too early now and then: of two nodes,
    3 jobs in 21 crashed within MPI_Init, 2 in 181 where one of two fences does so, and none in 383
    where both go round a ring (docs/guide/mpi.md)."""
    return dict(bare_environment(), OMPI_MCA_mpi_yield_when_idle="1", SLURM_PMIX_FENCE="ring", **more)


def list_processes():
    """(process, parent, session) of all that have not ended."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended
            with open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                state, parent, _, session = stat.read().rsplit(")", 1)[1].split()[:4]
            if state != "Z":
                yield int(entry), int(parent), int(session)


def end(leader):
    """Kills a session and what it has started: launchers give processes sessions of their own."""
    sessions = {leader}
    while True:
        processes, doomed = list(list_processes()), set()
        while more := {pid for pid, parent, session in processes
                       if parent in doomed or session in sessions} - doomed:
            doomed |= more
        sessions |= {session for pid, _, session in processes if pid in doomed}
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not doomed:
            return
        time.sleep(0.01)


@contextlib.contextmanager
def begun(words, **more):
    """A job in a session of its own, of which nothing is left when the block fails."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True, **more) as job:
        try:
            yield job
        except BaseException:
            end(job.pid)
            raise


def find(program, tag):
    """(rank, process, parent) of all of this program that a launcher started with this word, and of
    what they have forked."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as line, \
                    open(f"/proc/{entry}/environ", "rb") as around, \
                    open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                words, variables = line.read().split(b"\0"), around.read()
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue  # it has ended
        rank = re.search(rb"(?:PMIX_RANK|PMI_RANK)=(\d+)", variables)
        if words[0] == program.encode() and tag.encode() in words and rank:
            found.append((int(rank.group(1)), int(entry), parent))
    return found


def ranks(program, tag):
    """The processes by rank."""
    found = find(program, tag)
    pids = {pid for _, pid, _ in found}
    return {rank: pid for rank, pid, parent in found if parent not in pids}


def children(program, tag):
    """What workers have forked: their computations."""
    found = find(program, tag)
    workers = {pid for rank, pid in ranks(program, tag).items() if rank > 0}
    return [pid for _, pid, parent in found if parent in workers]


def await_ranks(program, tag, count, job):
    """Fewer: the job is over."""
    until = time.monotonic() + LIMIT_S
    while len(found := ranks(program, tag)) < count and job.poll() is None:
        if time.monotonic() > until:
            raise TimeoutError(f"only {found} of {count} ranks start")
        time.sleep(0.05)
    return found
