"""man_examples.py: the examples of GNU parallel's own man pages, read from the installed package.

A page shows its examples in blocks without filling (.Vb ... .Ve).  A block is cut into statements of
the shell: as few lines as the shell takes for whole.  A statement that calls parallel is an example;
those before it in its block (functions, variables, files) are its preparation.  Nothing of the pages
is kept here: they are read anew wherever this runs.
"""
import gzip
import os
import re
import subprocess

MAN = "/usr/share/man"
PAGES = ["man7/parallel_tutorial.7", "man1/parallel.1", "man7/parallel_examples.7",
         "man7/parallel_design.7"]

CALL = re.compile(r"(?:^|[\s;|&(`])parallel(?:\s|$)", re.MULTILINE)

# What an example needs that no single machine without a network has, or that is not about tasks.
ELSEWHERE = [
    (r"(?<![\w-])(-S(?! : )|--sshlogin|--slf|--sshloginfile|--nonall|--onall|--trc|--tf|--transfer|"
     r"--return|--basefile|--bf|--wd|--workdir|--cleanup|--hostgroups?|--hgrp|--controlmaster|-M|"
     r"--filter-hosts|--transferfile)(?![\w-])", "other machines"),
    (r"\$SERVER|server\d?\.|(?<!\S)-S\w+@|(?<![\w-])(ssh|scp|autossh|vagrant|virsh)\b", "other machines"),
    (r"(?<!echo )(?<![\w-])(ftp:|ping6|nmap|dig|nc|netcat|mosh|s3cmd|git)\b", "a network"),
    (r"\b(?:pg|mysql)://", "a network"),
    (r"(?<![-\w])(sem|env_parallel|parset|sql|niceload|parcat|tmux|dialog|xterm|su|sudo parallel|"
     r"emacs|vi|crontab|fish|tcsh|csh|zsh%?)(?![-\w])", "another program"),
    (r"--tmux|--tty|--sql|--embed|--cite|--citation|--record-env|--shebang|--hashbang|--tollef|"
     r"--skip-first-line|--fg|--bg|--semaphore|--id\b|--install", "what is not about tasks"),
    (r"--man\b|--help\b|--version\b|--minversion|--number-of|--max-line-length|--show-limits|"
     r"--shell-completion|^GNU parallel|^Usage:",
     "what the program says of itself"),
    (r"\bkillall\b", "all processes of that name"),
    (r"(?<!\w)(while true|forever|tail -f|tail -n\+0 -f|sleep [1-9]\d{2,}|lynx -listonly)|"
     r"seq 1000 \| parallel -N0 -j1 --delay 1|--interactive|echo This will block", "no end"),
]


def plain(line):
    """A line of roff as it is shown."""
    line = re.sub(r"\\f(?:\(..|\[\w*\]|.)", "", line)
    line = re.sub(r"\\s(?:[-+]?\d)", "", line)
    for escape, text in (("\\&", ""), ("\\-", "-"), ("\\*(Aq", "'"), ("\\(aq", "'"), ("\\(dq", '"'),
                         ("\\*(C`", '"'), ("\\*(C'", '"'), ("\\(ha", "^"), ("\\(ti", "~"),
                         ("\\*(--", "--"), ("\\|", ""), ("\\^", ""), ("\\`", "`"), ("\\'", "'"),
                         ("\\e", "\\")):
        line = line.replace(escape, text)
    return line


def blocks_of(page):
    """(heading, lines) of each block; the margin that all lines share is gone."""
    heading, lines, blocks = "", None, []
    with gzip.open(os.path.join(MAN, page + ".gz"), "rt", encoding="utf-8", errors="replace") as text:
        for line in text:
            line = line.rstrip("\n")
            if line.startswith((".SH", ".SS")):
                heading = plain(line[3:].strip().strip('"'))
            elif line.startswith(".Vb"):
                lines = []
            elif line.startswith(".Ve") and lines is not None:
                margin = min((len(one) - len(one.lstrip()) for one in lines if one.strip()), default=0)
                blocks.append((heading, [one[margin:] for one in lines]))
                lines = None
            elif lines is not None:
                lines.append(plain(line))
    return blocks


def is_whole(text):
    """Does the shell take this for complete statements?"""
    if text.rstrip().endswith(("\\", "|", "&&", "||")):
        return False
    checked = subprocess.run(["bash", "-n", "-c", text], check=False, capture_output=True)
    return checked.returncode == 0 and b"here-document" not in checked.stderr


def statements_of(lines):
    """The statements of a block, as far as the shell understands it; prompts are taken off, and what
    stands between them is output."""
    if any(re.match(r"\s*\$ ", line) for line in lines):
        kept, goes_on = [], False
        for line in lines:
            if re.match(r"\s*\$ ", line) or goes_on:
                line = re.sub(r"^\s*(?:\$|>) ", "", line)
                kept.append(line)
                goes_on = line.endswith("\\")
        lines = kept
    statements, text = [], ""
    for line in lines:
        if not text and (not line.strip() or line.lstrip().startswith("#")):
            continue
        text = f"{text}\n{line}" if text else line
        if is_whole(text):
            statements.append(text)
            text = ""
    return statements


def why_not(text):
    """Why an example cannot be run on a single machine; None: it can."""
    for pattern, reason in ELSEWHERE:
        if re.search(pattern, text, re.MULTILINE):
            return reason
    return None


def functions_used(functions, text, before):
    """The functions of earlier blocks that an example calls, with what exports them."""
    known = "\n".join(before)
    return [line for name, lines in functions.items() for line in lines
            if re.search(rf"(?<![\w-]){name}(?![\w-])", text) and f"{name}()" not in known]


def examples():
    """All examples: dictionaries with page, heading, preparation, text, and why it cannot be run."""
    found = []
    for page in PAGES:
        if not os.path.exists(os.path.join(MAN, page + ".gz")):
            continue
        functions = {}
        for heading, lines in blocks_of(page):
            before = []
            for text in statements_of(lines):
                if CALL.search(text):
                    made = functions_used(functions, text, before) + before
                    found.append({"page": os.path.basename(page), "heading": heading,
                                  "before": made, "text": text,
                                  "why_not": why_not("\n".join([*made, text]))})
                defined = re.match(r"(\w+)\(\)", text)
                if defined:
                    functions[defined[1]] = [text, f"export -f {defined[1]}"]
                if "env_parallel" not in text and (not CALL.search(text) or "()" in text):
                    before.append(text)
    return found


def preparations():
    """The statements by which the tutorial makes its files, in its own words."""
    made = []
    for heading, lines in blocks_of(PAGES[0]):
        if heading.lower() != "prerequisites":
            continue
        for text in statements_of(lines):
            if re.search(r"> ?[\w.%-]+$", text) and why_not(text) is None:
                made.append(text)
    return made
