"""network.py: a network of our own, in which the packets of one process can be dropped.

A blackhole in the routes drops them on their way out: TCP sends again, ever more rarely, as it does
over a link that is cut.  (Many kernels have no netem, which would delay them, too: a link that is
cut again and again does that.)
"""
import ctypes
import os
import re
import shutil
import subprocess

CLONE_NEWNET = 0x40000000
# Slurm resolves names only where there is an address beside that of the loop: one for examples.
SET_UP = """link set lo up
link add weather0 type veth peer name weather1
addr add 192.0.2.1/24 dev weather0
link set weather0 up
link set weather1 up
rule add pref 100 lookup local
rule del pref 0"""


def enter():
    """For this process and all that it starts; why that cannot be, or None."""
    if os.geteuid() != 0 or not (shutil.which("ip") and shutil.which("ss")):
        return "needs root and iproute2"
    library = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if library.unshare(CLONE_NEWNET) != 0:
            return f"no network of our own: {os.strerror(ctypes.get_errno())}"
        for words in SET_UP.splitlines():
            subprocess.run(["ip", *words.split()], check=True, capture_output=True, text=True)
        return None
    except subprocess.CalledProcessError as why:
        library.setns(before, CLONE_NEWNET)
        return f"no routes of our own: {why.stderr.strip()}"
    finally:
        os.close(before)


class Cut:
    """From here to the end of the block: the connections that this process has now are dead."""

    def __init__(self, process):
        listed = subprocess.run(["ss", "-Htnp"], check=True, capture_output=True, text=True).stdout
        pairs = [re.findall(r":(\d+)\s", line)[:2] for line in listed.splitlines()
                 if re.search(rf"\bpid={process}\b", line)]
        # Both ends may be of this process.
        self.ways = {way for one, other in pairs for way in ((one, other), (other, one))}

    def _tell(self, verb):
        for one, other in self.ways:
            done = subprocess.run(["ip", "rule", verb, "pref", "10", "ipproto", "tcp", "sport", one,
                                   "dport", other, "blackhole"], check=False, capture_output=True,
                                  text=True)
            if done.returncode != 0:
                raise OSError(f"ip rule {verb} for {one} to {other}: {done.stderr}")

    def __enter__(self):
        self._tell("add")

    def __exit__(self, *_):
        self._tell("del")
