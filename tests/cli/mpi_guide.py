"""mpi_guide.py: the commands of docs/guide/mpi.md that a launcher starts, each run as it stands, but
for fewer ranks, in a folder of its own: one is typed instead of the other."""
import os
import re
import subprocess
import tempfile

from mpi_jobs import LIMIT_S

PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "guide", "mpi.md")
RANKS_MAX = 4


def commands(launcher):
    """The indented lines that begin with its name."""
    with open(PAGE, encoding="utf-8") as page:
        return [line.strip() for line in page if line.startswith(f"    {launcher} ")]


def make_folder(folder, build, launcher, words):
    """With what the page calls the reader's own, and a launcher of this name that has these words."""
    os.symlink(build, os.path.join(folder, "build"))
    with open(os.path.join(folder, "inputs"), "w", encoding="utf-8") as inputs:
        inputs.writelines(f"{size}\n" for size in range(20))
    os.mkdir(os.path.join(folder, "bin"))
    for name, text in (("work", "exec sleep 0.0$1"), (f"bin/{launcher}", f"exec {words} \"$@\"")):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)


def run(build, launcher, words, environment):
    """Yields each command with what it has done, and how many tasks it had to do."""
    for command in commands(launcher):
        fewer = re.sub(r"-n (\d+)", lambda of: f"-n {min(int(of[1]), RANKS_MAX)}", command)
        with tempfile.TemporaryDirectory() as folder:
            make_folder(folder, build, launcher, words)
            path = f"{folder}/bin:{build}:{environment['PATH']}"
            done = subprocess.run(["bash", "-c", fewer], cwd=folder, stdin=subprocess.DEVNULL,
                                  env=dict(environment, PATH=path), capture_output=True, text=True,
                                  timeout=LIMIT_S, check=False)
        yield command, done, int((re.findall(r"--units (\d+)", command) or [20])[0])


def find_failures(build, launcher, words, environment):
    """In words, what did not run as one run that did all tasks."""
    failures, count = [], 0
    for command, done, tasks in run(build, launcher, words, environment):
        count += 1
        if done.returncode != 0 or len(re.findall(rf"^{tasks} tasks? done in .* busy$", done.stderr, re.M)) != 1:
            failures.append(f"{command}: {done}")
    return failures if count > 0 else [f"{PAGE} has no command of {launcher}"]
