"""mpi_jobs.py: launchers of MPI, as tests use them, and the processes that they start."""
import os
import re
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


def environment(**more):
    """What Open MPI wants of root, and what a user may have set; nothing of a launcher around us.

    Slurm 22.05 ends a fence of PMIx that goes through a tree too early now and then: of two nodes,
    3 jobs in 21 crashed within MPI_Init, 2 in 181 where one of two fences does so, and none in 383
    where both go round a ring (docs/guide/mpi.md)."""
    found = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                 OMPI_MCA_mpi_yield_when_idle="1", SLURM_PMIX_FENCE="ring", **more)
    for variable in [name for name in found if re.match("SLURM_(?!CONF|PMIX_FENCE)|PMI", name)]:
        del found[variable]
    return found


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


def processor_s(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
