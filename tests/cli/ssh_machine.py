"""ssh_machine: a machine of its own, as far as ssh can tell: for tests that need a real sshd.

Needs root. What a test starts by `start` ends with `end_all`.
"""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SSHD = "/usr/sbin/sshd"
started = []


def start(words, **more):
    started.append(subprocess.Popen(words, **more))
    return started[-1]


def wait_for(condition, what):
    until = time.monotonic() + 120
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.02)


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as text:
            return text.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""


def write(path, text, mode=0o600):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    os.chmod(path, mode)
    return path


class Machine:
    """sshd on loopback, and a folder for all that is temporary there. Behind three more of its
    ports the program is not what it should be: it is missing, or another one, or missing on another
    kind of processor."""

    def __init__(self, program, other):
        self.folder = tempfile.mkdtemp(prefix="loadstar-sshd-")
        self.there = self.path("there")
        os.mkdir(self.there, 0o700)
        os.mkdir(self.path("home"))  # what a user's shell does at each login is none of the tests'
        os.mkdir(self.path("bin"))
        os.symlink(program, self.path("bin/loadstar"))
        os.mkdir(self.path("foreign"))
        write(self.path("foreign/uname"), "#!/bin/sh\necho armv9\n", 0o700)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)],
                           check=True)
        self.ports = {name: free_port() for name in ("good", "lacking", "other", "foreign", "nobody")}
        with open(self.path("user.pub"), encoding="ascii") as key:
            write(self.path("authorized_keys"), key.read())
        edit = "eval \"$(printf %s \"$SSH_ORIGINAL_COMMAND\" | sed \"s,'{}',{},\")\""
        ports = "".join(f"Port {self.ports[name]}\n" for name in ("good", "lacking", "other", "foreign"))
        self.config = write(self.path("sshd_config"), f"""{ports}ListenAddress 127.0.0.1
HostKey {self.path("host")}
PidFile {self.path("sshd.pid")}
AuthorizedKeysFile {self.path("authorized_keys")}
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
SetEnv TMPDIR={self.there} HOME={self.path("home")} PATH={self.path("bin")}:/usr/bin:/bin
Match LocalPort {self.ports["lacking"]}
ForceCommand {edit.format(program, "/nowhere/loadstar")}
Match LocalPort {self.ports["other"]}
ForceCommand {edit.format(program, other)}
Match LocalPort {self.ports["foreign"]}
ForceCommand PATH={self.path("foreign")}:$PATH; {edit.format(program, "/nowhere/loadstar")}
""")
        common = (f"HostName 127.0.0.1\nIdentityFile {self.path('user')}\nIdentitiesOnly yes\n"
                  f"UserKnownHostsFile {self.path('known')}\nStrictHostKeyChecking accept-new\n"
                  "LogLevel ERROR\n")
        names = {"n1 n2 n3 node1": "good", "lacking lacking2": "lacking", "other": "other", "foreign": "foreign",
                 "refusing": "nobody"}
        self.client = write(self.path("config"), "".join(
            f"Host {host}\nPort {self.ports[port]}\n{common}" for host, port in names.items()))
        self.command = f"ssh -F {self.client}"
        self.start()

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self):
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.sshd = start([SSHD, "-D", "-f", self.config, "-E", self.path("sshd.log")])
        wait_for(self.answers, "sshd: " + read(self.path("sshd.log")))

    def answers(self):
        with socket.socket() as place:
            return place.connect_ex(("127.0.0.1", self.ports["good"])) == 0

    def stop(self):
        """sshd and all its connections: nothing of them has time for a word."""
        sessions = [pid for pid in processes(self.sshd.pid)
                    if read(f"/proc/{pid}/comm").strip() == "sshd"]
        for pid in [self.sshd.pid, *sessions]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.sshd.wait()

    def living(self):
        """Processes of the run on the other machine."""
        mark = f"TMPDIR={self.there}"
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                if mark in read(f"/proc/{pid}/environ").split("\0")
                and read(f"/proc/{pid}/comm").startswith(("loadstar", "ld-"))]

    def left(self):
        """What is left of a run there."""
        return os.listdir(self.there), [read(f"/proc/{pid}/cmdline") for pid in self.living()]

    def close(self):
        self.stop()
        for pid in self.living():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder)


def processes(pid):
    """All that came of a process."""
    found = []
    for child in read(f"/proc/{pid}/task/{pid}/children").split():
        found += [int(child), *processes(int(child))]
    return found


def end_all(spared):
    for process in started:
        if process.poll() is None and process is not spared:
            process.kill()
            process.wait()
