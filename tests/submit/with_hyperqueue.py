"""Runs a sweep with HyperQueue on this machine, with a simulation killed in the middle.

The Python package of HyperQueue has its server and its workers but not the command `hq`, so the job definition
file is read here, and its tasks are submitted as they stand in it. Needs python3 with venv and a network the first
time (it installs hyperqueue, unless HQ_VENV names a virtual environment that has it). From the project's root:
python3 tests/submit/with_hyperqueue.py
"""

import os
import subprocess
import sys
import tempfile
import threading
import tomllib
from pathlib import Path

import sweep


def again_in_venv(folder):
    """Starts this script again where hyperqueue is installed."""
    venv = os.environ.get("HQ_VENV")
    if not venv:
        venv = folder / "venv"
        subprocess.run(["python3", "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "hyperqueue"], check=True)
    command = [Path(venv, "bin/python"), __file__, folder]
    return subprocess.run(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}).returncode


def tasks(path):
    """The job of a definition file, for the Python client."""
    from hyperqueue import Job
    from hyperqueue.ffi.protocol import ResourceRequest

    written = tomllib.loads(path.read_text())
    array = written["array"]
    first, last = map(int, array["ids"].split("-"))
    job = Job(name=written["name"], default_workdir=path.parent, max_fails=None)
    request = ResourceRequest(cpus=int(array["request"][0]["resources"]["cpus"]))
    for number in range(first, last + 1):
        # The client counts tasks from 0; in a job of the file's own HQ_TASK_ID is the number.
        command = [word.replace("$HQ_TASK_ID", str(number)) for word in array["command"]]
        job.program(command, resources=request, crash_limit=array["crash_limit"])
    return job


def lose_a_simulation(folder):
    pid, part = sweep.wait_for("a part at work", lambda: sweep.half_done(folder))
    sweep.kill(pid)
    kept = sweep.runs_of(folder, part)
    sweep.say(f"killed the simulation of part {part}, process {pid}, with {kept} runs kept")


def run(folder):
    """Submits the job to a server of this process, and loses a simulation."""
    from hyperqueue import LocalCluster
    from hyperqueue.cluster import WorkerConfig

    said = sweep.serqc(folder, "submit", "sweep.toml", "--to", "hyperqueue")
    sweep.say("$ serqc submit sweep.toml --to hyperqueue\n" + said.strip())
    with LocalCluster() as cluster:
        for _ in range(2):
            cluster.start_worker(WorkerConfig(cores=1))
        client = cluster.client()
        submitted = client.submit(tasks(folder / "sweep.hyperqueue.toml"))
        killer = threading.Thread(target=lose_a_simulation, args=(folder,))
        killer.start()
        client.wait_for_jobs([submitted])
        killer.join()
        sweep.say("the job has ended, and no task of it failed")
    sweep.compare(folder, said)


def main():
    if len(sys.argv) > 1:
        return run(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="serq-hyperqueue-") as name:
        sweep.prepare(Path(name))
        return again_in_venv(Path(name))


if __name__ == "__main__":
    sys.exit(main())
