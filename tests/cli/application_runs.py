"""application_runs.py: what the tests of applications have in common: runs, who lives, who is killed,
what they cost.

Kills wait for results in the journal, never for a time.
"""
import os
import random
import signal
import sqlite3
import time

CHANCE = random.Random(1)


class Failed(Exception):
    """What did not hold."""


def check(holds, words):
    if not holds:
        raise Failed(words)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def living(tag, names=("loadstar-worker",)):
    """Processes of these names that carry our tag in their environment; by default the workers and
    their children."""
    found = []
    needle = f"LOADSTAR_TEST_TAG={tag}".encode()
    for number in os.listdir("/proc"):
        if not number.isdigit():
            continue
        try:
            is_one = read(f"/proc/{number}/comm").decode().strip() in names
            if is_one and needle in read(f"/proc/{number}/environ"):
                found.append(int(number))
        except OSError:
            pass
    return found


def kill_one(tag, names=("loadstar-worker",)):
    """How many were killed: 1, or 0 when there is none."""
    victims = living(tag, names)
    if not victims:
        return 0
    try:
        os.kill(CHANCE.choice(victims), signal.SIGKILL)
        return 1
    except ProcessLookupError:
        return 0


def processor_s(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def count_results(journal):
    """Results so far; 0 while there is no journal yet."""
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=30) as database:
            return database.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def await_results(run, journal, wanted):
    """False: the run is over before."""
    while run.poll() is None:
        if count_results(journal) >= wanted:
            return True
        time.sleep(0.002)
    return False
