"""checks.py: what must hold when the weather is over.

A finding is a sentence.  `troubles` are the conditions that a run met: (kind, begin, end) by the
machine's uptime, where `end` includes the time in which limits may pass because of it.
"""
import os
import re
import sqlite3

from job import uptime
from proxy import wait_until

# What may cost an execution; a stall of the master or of its reader may not.
RUN_ENDS = {"kill-master", "kill-reader", "kill-pipeline", "flip-bits", "full-disk", "full-tmpdir",
            "little-memory"}
# How a run refuses a journal that somebody changed.
DAMAGE = r"damaged|malformed|checksum|not a journal|not a database|is corrupt|was changed"
ALL_WORKERS = {"cut", "cut-rank", "cut-often", "kill-keeper", *RUN_ENDS}
COSTLY = {"kill-worker", "stop-worker", "kill-rank", "stop-rank", "stutter-rank", "crowd-out",
          "kill-child",
          *ALL_WORKERS}
# In these a worker may be cut off that nobody stopped: there was no descriptor to accept it with.
SCARCE = {"few-files", "few-processes"}
IDLE_S = 3.0


def overlaps(trouble, begin, end):
    return trouble[1] <= end and begin <= trouble[2]


def printed(job):
    """How often the output of each task was printed whole, by session."""
    return [task for task, is_whole in outputs(job) if is_whole]


def outputs(job):
    """Each task whose output a session printed, and whether all of it is there as it was made."""
    found = []
    for session in range(job.session + 1):
        with open(job.path(f"out-{session}"), errors="replace", encoding="utf-8") as text:
            lines = text.read().split("\n")
        for before, line in zip(["", *lines], lines[:-1]):
            if re.fullmatch(r"result of \d+", line):
                task = int(line.split()[-1])
                size = job.tasks[task][1] if task < len(job.tasks) else -1
                found.append((task, before == "." * size))
    return found


def check_outputs(job):
    """Nothing was printed that no task wrote."""
    bad = [task for task, is_whole in outputs(job) if not is_whole]
    return [f"outputs are not as their tasks wrote them: {bad[:10]}"] if bad else []


def has_all_results(job):
    return len(set(printed(job))) == len(job.tasks)


def check_counts(job, is_damaged):
    """Every unit counted once, in the journal and on the output."""
    findings, tasks = [], range(len(job.tasks))
    base = sqlite3.connect(f"file:{job.journal}?mode=ro", uri=True)
    try:
        rows = base.execute("SELECT first, units, outcome FROM results").fetchall()
        if not is_damaged and base.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            findings.append("the journal is damaged")
    finally:
        base.close()
    seen = [unit for first, count, _ in rows for unit in range(first, first + count)]
    if sorted(seen) != list(tasks):
        findings.append(f"the journal has {len(seen)} results of {len(job.tasks)} tasks")
    bad = [first for first, _, outcome in rows if outcome != 0]
    if bad:
        findings.append(f"tasks that failed or were given up: {bad[:10]}")
    out = printed(job)
    missing = sorted(set(tasks) - set(out))
    if missing:
        findings.append(f"{len(missing)} outputs are missing: {missing[:10]}")
    if len(out) != len(set(out)) and job.session == 0:
        twice = sorted({task for task in out if out.count(task) > 1})
        findings.append(f"outputs were printed twice: {twice[:10]}")
    return findings


def check_executions(job, troubles):
    """Nothing done twice but what was in flight, no healthy task ended by anybody."""
    findings, by_task = [], {}
    costly = [trouble for trouble in troubles if trouble[0] in COSTLY]
    for execution in job.executions():
        by_task.setdefault(execution.task, []).append(execution)
    again = 0
    for task, executions in sorted(by_task.items()):
        for one in executions:
            end = one.end if one.end is not None else one.begin + job.tasks[task][0]
            if one.end is None and not any(overlaps(t, one.begin, end + 1) for t in costly):
                findings.append(f"task {task} was ended at work, without a reason")
        for one, two in zip(executions, executions[1:]):
            again += 1
            if not any(overlaps(t, one.begin, two.begin) for t in costly):
                findings.append(f"task {task} ran twice, without a reason")
    # What ran and what waited at the workers that a trouble met.
    most = sum(3 * job.workers_count if t[0] in ALL_WORKERS else 3 for t in costly)
    if job.outlives_master and any(t[0] in RUN_ENDS for t in costly):
        most = sum(len(job.tasks) if t[0] in RUN_ENDS else 3 * job.workers_count for t in costly)
    if again > most and not any(t[0] == "flip-bits" for t in costly):
        findings.append(f"{again} executions were repeated, at most {most} were in flight")
    return findings


def find_losses(job):
    """What the run says of workers that it judged away, where it tells what it notes (-v)."""
    found = []
    for session in range(job.session + 1):
        with open(job.path(f"err-{session}"), errors="replace", encoding="utf-8") as text:
            found += [line.strip() for line in text
                      if re.search(r"worker \d+ (suspended|lost|silent)", line)]
    return found


def check_losses(job, troubles):
    """Who was stopped for less than the limit of silence, or did not hear from a master that stood
    still, is not judged silent."""
    if any(trouble[0] in COSTLY | SCARCE for trouble in troubles):
        return []
    return [f"nobody was away for long: {line}" for line in find_losses(job)]


def check_idleness(job, troubles, start_s):
    """No worker idles while a unit waits: between two of its executions lies no long gap in which
    a task had not begun that anybody else began later. A program's start took up to `start_s` on
    this machine meanwhile, and several of them lie between two executions."""
    findings, by_worker, idle_s = [], {}, IDLE_S + 5 * start_s
    executions = job.executions()
    for one in executions:
        by_worker.setdefault((one.session, one.worker), []).append(one)
    for (session, worker), mine in by_worker.items():
        for one, two in zip(mine, mine[1:]):
            if one.end is None or two.begin - one.end < idle_s:
                continue
            late = [e.task for e in executions if e.session == session and
                    e.begin > one.end + idle_s and e.begin <= two.begin]
            if late and not any(overlaps(t, one.end - 1, two.begin) for t in troubles):
                findings.append(f"worker {worker} idled for {two.begin - one.end:.1f} s while "
                                f"task {late[0]} waited")
    return findings


def check_remains(job):
    """No process, no folder, no socket stays."""
    findings = []
    if not wait_until(lambda: not job.processes(), 10):
        findings.append(f"processes survive: {job.processes()}")
    left = os.listdir(job.path("tmp"))
    if left:
        findings.append(f"left in the temporary folder: {left}")
    return findings


def check_all(job, troubles, start_s):
    now = uptime()
    troubles = [(kind, begin, min(end, now)) for kind, begin, end in troubles]
    is_damaged = any(kind == "flip-bits" for kind, _, _ in troubles)
    return (check_counts(job, is_damaged) + check_outputs(job) + check_executions(job, troubles) + check_losses(job, troubles) +
            check_idleness(job, troubles, start_s) + check_remains(job))
