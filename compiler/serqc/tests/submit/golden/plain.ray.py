# Written by `serqc submit`: a sweep in 8 parts.
"""Runs plain on the Ray cluster of RAY_ADDRESS, or on this machine if there is none."""

import os
import subprocess
import sys
import time

import ray

COMMAND = ["./sim", "--sweep", "lambda=0.5,0.8", "--seeds", "1..20", "--jobs", "1"]
SHARDS = 8
AT_ONCE = 8
OUT = "results"
DIRECTORY = os.getcwd()


class ShardFailed(Exception):
    """The simulation ended badly; what it has made is kept."""


class OptionsWrong(Exception):
    """The simulation does not take its options."""


@ray.remote(num_cpus=1, max_retries=3, retry_exceptions=[ShardFailed])
def shard(number):
    part = f"{OUT}/part-{number}-of-{SHARDS}"
    command = [*COMMAND, "--shard", f"{number}/{SHARDS}", "--out", part]
    while True:
        code = subprocess.run(command, cwd=DIRECTORY, stdin=subprocess.DEVNULL).returncode
        if code == 75:
            # Another process is at work on this part.
            time.sleep(10)
        elif code == 0:
            return number
        elif code == 2:
            raise OptionsWrong(" ".join(command))
        else:
            raise ShardFailed(f"{part}: exit code {code}")


def main():
    ray.init()
    todo, working, failed = list(range(1, SHARDS + 1)), {}, []
    while todo or working:
        while todo and len(working) < AT_ONCE:
            number = todo.pop(0)
            working[shard.remote(number)] = number
        for done in ray.wait(list(working))[0]:
            number = working.pop(done)
            try:
                ray.get(done)
                print(f"part {number} of {SHARDS} is done", flush=True)
            except (ray.exceptions.RayError, ShardFailed, OptionsWrong) as error:
                failed.append(number)
                print(f"part {number} of {SHARDS} failed: {error}", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
