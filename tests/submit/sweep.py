"""A sweep in parts and what it must come to: what the three scripts beside this file have in common.

In: nothing. Out: a folder with a simulation, a plan for `serqc submit` and the results of the sweep as one
process makes them. Each script then has an engine run the parts, kills some of them, and compares.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = "--sweep lambda=0.5,0.65,0.8 --seeds 1..8 --horizon 15000000"
SHARDS = 6
RUNS = 24


def serqc(folder, *arguments, **more):
    """Runs the command of this checkout (or of SERQC), and returns what it printed."""
    own = os.environ.get("SERQC")
    cargo = ["cargo", "run", "--quiet", "--manifest-path", ROOT / "Cargo.toml", "-p", "serqc", "--"]
    command = [own] if own else cargo
    done = subprocess.run([*command, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode:
        raise SystemExit(f"serqc {arguments[0]}: exit code {done.returncode}")
    return done.stdout


def prepare(folder):
    """Builds the simulation, does the sweep with one process, and writes the plan."""
    serqc(folder, "build", ROOT / "examples/single-turn/mm1.sq", "-o", "sim")
    whole = ["./sim", *OPTIONS.split(), "--out", "whole"]
    subprocess.run(whole, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    plan = f'binary = "sim"\noptions = "{OPTIONS}"\nshards = {SHARDS}\nout = "results"\n'
    Path(folder, "sweep.toml").write_text(plan)
    say(f"one process has made {RUNS} runs")


# Whoever ends a script has it end what it started.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))


def say(line):
    print(line, flush=True)


def children(pid):
    """The processes below one, the deepest first."""
    below = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == pid:
            below += [*children(int(entry.name)), int(entry.name)]
    return below


def name(pid):
    """What a process was started as, or nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def environment(pid):
    """What a process was given in its environment, `NAME=VALUE` each."""
    try:
        return set(Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0"))
    except OSError:
        return set()


def simulations(folder, is_ours):
    """The parts at work in a folder: their process, and `I/N`."""
    found = {}
    for entry in Path("/proc").iterdir():
        words = name(entry.name).split() if entry.name.isdigit() else []
        if words and words[0] == "./sim" and "--shard" in words and is_ours(int(entry.name)):
            try:
                here = os.readlink(entry / "cwd") == os.path.realpath(folder)
            except OSError:
                continue
            if here:
                found[int(entry.name)] = words[words.index("--shard") + 1]
    return found


def runs_of(folder, part):
    """How many runs a part that is at work has kept."""
    number, of = part.split("/")
    journal = Path(folder, f"results/part-{number}-of-{of}/journal/{number}-of-{of}.jsonl")
    try:
        return journal.read_bytes().count(b"\n")
    except OSError:
        return 0


def wait_for(what, look, seconds=300):
    """Looks until there is something, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise SystemExit(f"waited {seconds} s for {what}")


def half_done(folder, is_ours=lambda pid: True):
    """A part in the middle: it has kept a run and is not at its end. Its process, and `I/N`."""
    for pid, part in simulations(folder, is_ours).items():
        if 1 <= runs_of(folder, part) < RUNS // SHARDS:
            return pid, part
    return None


def kill(*pids):
    """Ends processes at once, as a machine does that is switched off."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def compare(folder, said):
    """Merges the parts with the command that `submit` said last, and compares with the one sweep."""
    merge = said.strip().splitlines()[-1].strip()
    words = [w for word in shlex.split(merge)[1:] for w in expanded(folder, word)]
    say(f"$ {merge}\n{serqc(folder, *words).strip()}")
    for file in ["sweep.json", "runs.jsonl", "runs.csv", "points.csv"]:
        one, parts = (Path(folder, of, file).read_bytes() for of in ["whole", "results/all"])
        if one != parts:
            sys.exit(f"{file} is not what one process writes")
    lines = Path(folder, "results/all/runs.csv").read_text().splitlines()[1:]
    points = [line.split(",")[:2] for line in lines]
    assert len(points) == RUNS and len({tuple(point) for point in points}) == RUNS
    say(f"every run is there once, {RUNS} in all; the files are those that one process writes, byte by byte")


def expanded(folder, word):
    """What a shell makes of a word with `*`."""
    found = sorted(str(path.relative_to(folder)) for path in Path(folder).glob(word)) if "*" in word else []
    return found or [word]
