"""mpi_runs.py: what the benches over MPI share: launchers, runs, turns, figures."""
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORDS = sys.argv[1:]
BUILD = os.path.abspath(WORDS[0] if WORDS and not WORDS[0].startswith("-") else "build")
LOADSTAR, FIBONACCI, MATCHED = (os.path.join(BUILD, name) for name in (
    "loadstar", "apps/fibonacci", "apps/matched-filter"))
NAME = os.path.basename(sys.argv[0])


def word_behind(option, otherwise):
    return WORDS[WORDS.index(option) + 1] if option in WORDS else otherwise


# Two ranks would be bound to one core each, and what computes with them.
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
             "mpich": ["mpirun.mpich"]}
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not re.match("OMPI_|PMI|SLURM_", name)}
ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
missed = []


def show(what, value, reach="", good=True):
    print(f"  {what:<66} {value:>8} {reach:<16} {'' if good else 'MISSED'}", flush=True)
    if not good:
        missed.append(what)


def execute(words):
    done = subprocess.run(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{NAME}: {' '.join(words)} ended with {done.returncode}: {done.stderr[-400:]}")
    return done.stdout


def summary_of(folder, launcher, program, words, application):
    """The JSON summary of a run."""
    place = os.path.join(folder, "summary")
    execute([*launcher, program, "run", "--quiet", f"--json={place}", *words, "--", *application])
    with open(place, encoding="utf-8") as file:
        return json.load(file)


def in_turns(count, calls):
    """For each name the values of its call, which is called so many times, in turn with the others."""
    values = {name: [] for name in calls}
    for _ in range(count):
        for name, call in calls.items():
            values[name].append(call())
    return values


def ratio(values, name, peer):
    return statistics.median(a / b for a, b in zip(values[name], values[peer]))


def make_image(folder):
    mosaic, small = (os.path.join(BUILD, "images", "head-mosaic.pgm"), os.path.join(
        ROOT, "apps", "matched_filter", "ct-small.pgm"))
    if os.path.exists(mosaic):
        return mosaic
    with open(small, "rb") as file:
        data = file.read()
    width, height = map(int, re.match(rb"P5\s(\d+) (\d+)\s4095\s", data).groups())
    rows = [data[len(data) - 2 * width * (height - y):][:2 * width] for y in range(height)]
    place = os.path.join(folder, "ct-64.pgm")
    with open(place, "wb") as file:
        file.write(b"P5\n%d %d\n4095\n" % (8 * width, 8 * height))
        file.write(b"".join(row * 8 for row in rows) * 8)
    return place


def for_each_mpi(measure):
    """Calls it with name and launcher of each MPI that is wanted and here; exit status."""
    only = word_behind("--mpi", None)
    for name, launcher in LAUNCHERS.items():
        if only not in (None, name) or not os.path.exists(f"{BUILD}/bench/mpi_farm-{name}"):
            continue
        print(f"{name}: {os.cpu_count()} processors, load before {os.getloadavg()[0]:.2f}", flush=True)
        measure(name, launcher)
        print(f"  load after: {os.getloadavg()[0]:.2f}")
    if missed:
        print("missed: " + "; ".join(missed))
    return 1 if missed else 0
