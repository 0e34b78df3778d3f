"""Runs a sweep on a Slurm cluster of two nodes on this machine, of which one is lost in the middle.

Needs munged, slurmctld, slurmd and sbatch (Debian: apt-get install slurm-wlm munge), and the right to start
them. Everything is in a folder of its own, and ends with the script: python3 tests/submit/with_slurm.py
"""

import os
import socket
import subprocess
import tempfile
from pathlib import Path

import sweep

PORTS = {"slurmctld": 47817, "n1": 47818, "n2": 47819}


def configure(folder):
    """Writes the cluster's configuration."""
    host, user = socket.gethostname().split(".")[0], os.environ.get("USER") or "root"
    folder.joinpath("slurm.conf").write_text(
        f"""\
ClusterName=serq
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={PORTS["slurmctld"]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=10
ReturnToService=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={PORTS["n1"]} CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={PORTS["n2"]} CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""
    )
    folder.joinpath("state").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)


class Cluster:
    """The daemons, each a child of this process."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = {}
        self.env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self):
        paths = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid",
                 "log-file": "munge.log", "seed-file": "munge.seed"}
        options = [f"--{option}={self.folder / file}" for option, file in paths.items()]
        self.daemon("munged", "munged", "--foreground", "--force", *options)
        sweep.wait_for("munged", (self.folder / "munge.socket").exists, 20)
        self.daemon("slurmctld", "slurmctld", "-D")
        for node in ["n1", "n2"]:
            self.daemon(node, "slurmd", "-D", "-N", node)
        states = lambda: self.ask("sinfo", "-h", "-N", "-o", "%N %T")
        sweep.wait_for("two idle nodes", lambda: states().count("idle") == 2, 60)
        sweep.say("$ sinfo -N -o '%N %T'\n" + states().strip())

    def daemon(self, name, *command):
        log = open(self.folder / f"{name}.out", "w")
        self.daemons[name] = subprocess.Popen(command, env=self.env, stdout=log, stderr=log)

    def ask(self, *command):
        return subprocess.run(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def half_done(self, folder, node):
        """A part in the middle on a node: its process, and `I/N`."""
        ours = {f"SLURM_CONF={self.folder / 'slurm.conf'}", f"SLURMD_NODENAME={node}"}
        return sweep.half_done(folder, lambda pid: ours <= sweep.environment(pid))

    def stop(self):
        for name in ["n1", "n2", "slurmctld", "munged"]:
            daemon = self.daemons.get(name)
            if daemon and daemon.poll() is None:
                daemon.terminate()
                daemon.wait(timeout=20)


def lose_a_simulation(folder, cluster):
    """Kills the process of a part in the middle."""
    pid, part = sweep.wait_for("a part on n2", lambda: cluster.half_done(folder, "n2"))
    sweep.kill(pid)
    kept = sweep.runs_of(folder, part)
    sweep.say(f"killed the simulation of part {part} on n2, process {pid}, with {kept} runs kept")


def lose_a_node(folder, cluster):
    """Kills a node with all that runs on it."""
    pid, part = sweep.wait_for("a part on n1", lambda: cluster.half_done(folder, "n1"))
    # The simulation is a child of the script, which is one of the process that cares for the task.
    step, daemon = sweep.parent(sweep.parent(pid)), cluster.daemons["n1"]
    assert "slurmstepd" in sweep.name(step), sweep.name(step)
    sweep.kill(daemon.pid, step, *sweep.children(step))
    daemon.wait()
    kept = sweep.runs_of(folder, part)
    sweep.say(f"killed node n1 (slurmd is process {daemon.pid}) and with it part {part}, with {kept} runs kept")


def main():
    with tempfile.TemporaryDirectory(prefix="serq-slurm-") as name:
        folder = Path(name)
        sweep.prepare(folder)
        configure(folder)
        cluster = Cluster(folder)
        try:
            cluster.start()
            said = sweep.serqc(folder, "submit", "sweep.toml", "--to", "slurm", "--go", env=cluster.env)
            sweep.say("$ serqc submit sweep.toml --to slurm --go\n" + said.strip())
            lose_a_simulation(folder, cluster)
            lose_a_node(folder, cluster)
            queue = lambda: cluster.ask("squeue", "-h", "-o", "%i %T %N %r")
            sweep.wait_for("the lost part in the queue again", lambda: "PENDING" in queue(), 120)
            requeued = lambda: "n1" not in queue() and cluster.ask("sinfo", "-h", "-n", "n1", "-o", "%T")
            sweep.say(f"n1 is {sweep.wait_for('the loss to be seen', requeued, 120).strip()}")
            sweep.wait_for("the queue to be empty", lambda: not queue().strip(), 600)
            sweep.compare(folder, said)
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
