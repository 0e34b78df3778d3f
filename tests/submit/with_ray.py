"""Runs a sweep on a Ray cluster on this machine, of which a worker is killed in the middle, and a simulation.

Needs python3 with venv and a network the first time (it installs ray, unless RAY_VENV names a virtual environment
that has it). From the project's root: python3 tests/submit/with_ray.py
"""

import os
import subprocess
import tempfile
from pathlib import Path

import sweep


def environment(folder):
    """Makes a virtual environment with ray, unless there is one, and what a program in it sees."""
    venv = os.environ.get("RAY_VENV")
    if not venv:
        venv = folder / "venv"
        subprocess.run(["python3", "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "ray"], check=True)
    return {
        **os.environ,
        "PATH": f"{venv}/bin:{os.environ['PATH']}",
        "RAY_TMPDIR": str(folder / "ray"),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DEDUP_LOGS": "0",
    }


def lose_a_worker(folder):
    """Kills the process that runs a task, in the middle; its simulation stays."""
    child, part = sweep.wait_for("a part at work", lambda: sweep.half_done(folder))
    worker = sweep.parent(child)
    sweep.kill(worker)
    kept = sweep.runs_of(folder, part)
    sweep.say(f"killed Ray's worker of part {part}, process {worker}, with {kept} runs kept")
    return part


def lose_a_simulation(folder, other):
    """Kills a part's own process, in the middle."""
    def look():
        found = sweep.half_done(folder)
        return found if found and found[1] != other else None

    child, part = sweep.wait_for("another part at work", look)
    sweep.kill(child)
    kept = sweep.runs_of(folder, part)
    sweep.say(f"killed the simulation of part {part}, process {child}, with {kept} runs kept")


def main():
    with tempfile.TemporaryDirectory(prefix="serq-ray-") as name:
        folder = Path(name)
        sweep.prepare(folder)
        env = environment(folder)
        said = sweep.serqc(folder, "submit", "sweep.toml", "--to", "ray")
        sweep.say("$ serqc submit sweep.toml --to ray\n" + said.strip())
        log = open(folder / "driver.log", "w")
        driver = subprocess.Popen(["python3", "sweep.ray.py"], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            part = lose_a_worker(folder)
            lose_a_simulation(folder, part)
            out, _ = driver.communicate(timeout=600)
        finally:
            if driver.poll() is None:
                sweep.kill(*sweep.children(driver.pid), driver.pid)
        lines = [line for line in out.splitlines() if line.startswith("part ")]
        sweep.say("$ python3 sweep.ray.py\n" + "\n".join(lines))
        if driver.returncode:
            raise SystemExit(f"{folder / 'driver.log'}:\n" + Path(folder, "driver.log").read_text())
        sweep.compare(folder, said)


if __name__ == "__main__":
    main()
