"""mpi_runs.py: what the benches over MPI share: launchers, runs, turns, figures."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import mpi_jobs

WORDS = sys.argv[1:]
BUILD = os.path.abspath(WORDS[0] if WORDS and not WORDS[0].startswith("-") else "build")
LOADSTAR, FIBONACCI, MATCHED = (os.path.join(BUILD, name) for name in (
    "loadstar", "apps/fibonacci", "apps/matched-filter"))
NAME = os.path.basename(sys.argv[0])


def refuse(words, status):
    print(f"{NAME}: {words}", file=sys.stderr)
    sys.exit(status)


def word_behind(option, otherwise):
    if option not in WORDS:
        return otherwise
    if WORDS[-1] == option:
        refuse(f"a word is expected behind {option}", 2)
    return WORDS[WORDS.index(option) + 1]


# Two ranks would be bound to one core each, and what computes with them.
LAUNCHERS = {"openmpi": [*mpi_jobs.LAUNCHERS["openmpi"], "--bind-to", "none"],
             "mpich": mpi_jobs.LAUNCHERS["mpich"]}
ENVIRONMENT = mpi_jobs.bare_environment()
missed = []


def find_mpis():
    """Names of those that are wanted (--mpi) and here; ends with words where there is none."""
    only = word_behind("--mpi", None)
    if only not in (None, *LAUNCHERS):
        refuse(f"--mpi is '{only}', expected {' or '.join(LAUNCHERS)}", 2)
    found = [name for name, launcher in LAUNCHERS.items()
             if only in (None, name) and shutil.which(launcher[0]) and all(
                 os.path.exists(os.path.join(BUILD, file))
                 for file in (f"loadstar-{name}.so", f"bench/mpi_farm-{name}"))]
    if not found:
        refuse(f"no {only or 'MPI'} in {BUILD}: tools/setup, then meson setup --reconfigure {BUILD}, "
               f"and ninja -C {BUILD}", 3)
    return found


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


def lasted(summary):
    """Seconds of a run from the joining of the first worker on: without its start."""
    return summary["makespan"] - min(worker["joined"] for worker in summary["workers"])


def wall_s(words):
    begin = time.monotonic()
    execute(words)
    return time.monotonic() - begin


def beyond_start(words, folder, image):
    """Of these words of the matched filter, ours or a rival's: the wall seconds that it takes for
    the image beyond those for one pixel, and the latter."""
    pixel, output = os.path.join(folder, "pixel.pgm"), os.path.join(folder, "picture.pgm")
    with open(pixel, "wb") as file:
        file.write(b"P5\n1 1\n4095\n\0\1")
    start_s, both_s = (wall_s([*words, "--image", one, "--output", output, "--response", "rectified"])
                       for one in (pixel, image))
    return both_s - start_s, start_s


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
    for name in find_mpis():
        print(f"{name}: {os.cpu_count()} processors, load before {os.getloadavg()[0]:.2f}", flush=True)
        measure(name, LAUNCHERS[name])
        print(f"  load after: {os.getloadavg()[0]:.2f}")
    if missed:
        print("missed: " + "; ".join(missed))
    return 1 if missed else 0
