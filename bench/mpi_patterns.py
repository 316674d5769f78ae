"""mpi_patterns.py: runs on ranks of emulated speeds, static and under load patterns, and their simulation."""
import json
import os

from mpi_runs import FIBONACCI, LOADSTAR, execute, summary_of

WORKERS, SEED = 8, 1
EQUAL_SPEEDS = [1.0] * WORKERS
UNEQUAL_SPEEDS = [1 - 2 / 3 * i / (WORKERS - 1) for i in range(WORKERS)]
# What a message takes between ranks of one machine, about.
DELAY_S, SEND_S = 0.0005, 0.0001
# Of the time that all the work takes where nothing changes: how long a pattern lasts.
PATTERN_LENGTH, SLOTS = 1.2, 20


def write_json(folder, name, value):
    place = os.path.join(folder, name)
    with open(place, "w", encoding="ascii") as file:
        json.dump(value, file)
    return place


class World:
    """Units that sleep (no quarrel over cores), workers that are there before anything is handed out.

    Each policy stands as words: ["--policy", NAME, "--set", ...]."""

    def __init__(self, units, unit_s, speeds, is_dynamic, prefetch):
        self.units, self.unit_s, self.speeds, self.prefetch = units, unit_s, speeds, prefetch
        self.pattern_s = PATTERN_LENGTH * units * unit_s / sum(speeds) if is_dynamic else None

    def simulate(self, folder, policy, finer=1):
        """Virtual seconds; `finer`: with units that are so many times shorter, and no messages."""
        costs = {} if finer > 1 else {"delay": DELAY_S, "send": {"per_unit": 0, "latency": SEND_S}}
        platform = {"workers": [{"compute": {"per_unit": self.unit_s / speed / finer}, **costs}
                                for speed in self.speeds]}
        world = {"prefetch": self.prefetch if finer == 1 else 0, "weights": self.speeds}
        if self.pattern_s is not None:
            world["load_pattern"] = {"kind": "seven", "duration": self.pattern_s,
                                     "slot": self.pattern_s / SLOTS}
        said = execute([LOADSTAR, "simulate", *policy, "--load", str(self.units * finer), "--seed",
                        str(SEED), "--platform", write_json(folder, "platform.json", platform),
                        "--arguments", write_json(folder, "world.json", world), "--json"])
        return json.loads(said)["makespan"]

    def bound(self, folder):
        """Seconds of all the work, perfectly divided."""
        return self.simulate(folder, ["--policy", "ss"], finer=100)

    def measure(self, folder, launcher, policy):
        """Seconds from the last worker's joining on, before which nothing is handed out."""
        pattern = [] if self.pattern_s is None else [
            "--load-pattern", f"seven:{self.pattern_s:.6f}", "--slot", f"{self.pattern_s / SLOTS:.6f}"]
        summary = summary_of(folder, [*launcher, "-n", str(WORKERS + 1)], FIBONACCI,
                             ["--workers-min", str(WORKERS), *policy, "--prefetch",
                              str(self.prefetch), "--seed", str(SEED), *pattern, "--speeds",
                              ",".join(f"{speed:.6f}" for speed in self.speeds)],
                             ["--sleep", "--units", str(self.units), "--seconds",
                              f"{self.unit_s:.6f}"])
        return summary["makespan"] - max(worker["joined"] for worker in summary["workers"])


def order_of_pairs(got, expected, apart_by):
    """Pairs that the simulator holds apart, and those of them that were measured the other way."""
    apart = [(a, b) for a in expected for b in expected if expected[b] > (1 + apart_by) * expected[a]]
    return apart, [f"{a} < {b}" for a, b in apart if got[a] >= got[b]]
