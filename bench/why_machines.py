"""why_machines: two machines behind ssh, and a Slurm, on this one; as root. Both end with their
block; where they cannot be had, `is_up` is false, `cluster` None."""
import os
import shutil
import subprocess
import tempfile

import slurm_cluster
import ssh_machine

NAPS = {"fast": 0.1, "slow": 0.4}


class Machines:
    """`ssh -F $CONFIG fast` and `slow`: one machine; NAP says how long tasks sleep."""

    def __init__(self):
        self.folder, self.is_up, self.sshds = tempfile.mkdtemp(prefix="loadstar-why-"), False, []

    def __enter__(self):
        if os.geteuid() != 0 or not os.path.exists(ssh_machine.SSHD):
            return self
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                            f"{self.folder}/{name}"], check=True)
        hosts = "".join(self.start(name, nap) for name, nap in NAPS.items())
        os.environ["CONFIG"] = ssh_machine.write(f"{self.folder}/config", hosts)
        self.is_up = True
        return self

    def start(self, name, nap):
        """An sshd; what the client's configuration says of it."""
        port = ssh_machine.free_port()
        path = os.environ["PATH"]
        config = ssh_machine.write(f"{self.folder}/{name}", f"""Port {port}
ListenAddress 127.0.0.1
HostKey {self.folder}/host
PidFile none
AuthorizedKeysFile {self.folder}/user.pub
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv NAP={nap} PATH={path}
""")
        self.sshds.append(subprocess.Popen([ssh_machine.SSHD, "-D", "-f", config, "-E",
                                            f"{config}.log"]))
        client = (f"Host {name}\nHostName 127.0.0.1\nPort {port}\nIdentityFile {self.folder}/user\n"
                  f"IdentitiesOnly yes\nUserKnownHostsFile {self.folder}/known\n"
                  "StrictHostKeyChecking accept-new\nLogLevel ERROR\n")
        probe = ssh_machine.write(f"{self.folder}/probe", client)
        ssh_machine.wait_for(lambda: subprocess.run(
            ["ssh", "-F", probe, name, "true"], check=False, capture_output=True).returncode == 0,
            f"sshd: {ssh_machine.read(f'{config}.log')}")
        return client

    def __exit__(self, *_):
        for sshd in self.sshds:
            sshd.terminate()
            sshd.wait()
        shutil.rmtree(self.folder)


class Slurm:
    """A Slurm of 4 nodes, and how many jobs it has seen."""

    def __init__(self):
        self.folder, self.cluster, self.seen = tempfile.mkdtemp(prefix="loadstar-why-"), None, 0

    def __enter__(self):
        if not slurm_cluster.find_lacking():
            os.chmod(self.folder, 0o755)
            self.cluster = slurm_cluster.Cluster(f"{self.folder}/slurm")
            os.environ["SLURM_CONF"] = self.cluster.environment["SLURM_CONF"]
        return self

    def all_jobs(self):
        return len(self.cluster.say("squeue", "-h", "-r", "-t", "all", "-o", "%i").splitlines())

    def rest(self, _folder):
        """Before a turn: nothing runs, and all nodes are idle."""
        slurm_cluster.wait_for(lambda: not self.cluster.jobs("RUNNING") and self.cluster.say(
            "sinfo", "-h", "-N", "-t", "idle", "-p", "main", "-o", "%N").count("n") == 4, "Slurm")
        self.seen = self.all_jobs()

    def count_jobs(self, _outcome):
        return self.all_jobs() - self.seen

    def __exit__(self, *_):
        if self.cluster:
            self.cluster.down()
            del os.environ["SLURM_CONF"]
        shutil.rmtree(self.folder)
