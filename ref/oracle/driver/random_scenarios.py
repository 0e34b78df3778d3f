"""Makes random scenarios and their goldens from the real scheduler.

    random_scenarios.py --seed N --count K [--out DIR] [--async-scheduling] [--spec]

With --spec they are answered by spec.py, which needs no vLLM.

Scenario i of seed N is a function of (N, i) alone. A third each: single, pull, push.
Pools are tight (1 to 3 times the largest request), so that blocking, eviction and
preemption are common. Prints one line a scenario with what it exercised.
"""

import argparse
import json
import random
from pathlib import Path

from scenario import Stalled, dumps

BLOCK = 16


def blocks(tokens: int) -> int:
    return -(-tokens // BLOCK)


def requests(rng: random.Random) -> list[dict]:
    """Sessions of 1 to 4 turns; a third of them share a system prompt."""
    shared = rng.choice([0, 16, 40, 64, 100])
    out, clock = [], 0
    for s in range(rng.randint(2, 10)):
        clock += rng.choice([0, 0, 1, 2, 5, 11])
        common = shared if rng.random() < 0.35 else 0
        prompt = common + rng.choice([rng.randint(1, 40), rng.randint(20, 150), rng.randint(100, 320)])
        output = rng.choice([1, rng.randint(2, 20), rng.randint(10, 70), rng.randint(60, 200)])
        out.append({"id": f"s{s}t0", "arrive": clock, "prompt": prompt, "output": output, "shared_prefix": common})
        for t in range(1, rng.choice([1, 1, 2, 3, 4])):
            prompt += out[-1]["output"] + rng.choice([rng.randint(1, 20), rng.randint(16, 100)])
            output = rng.choice([1, rng.randint(2, 12), rng.randint(10, 50)])
            out.append({"id": f"s{s}t{t}", "after": f"s{s}t{t - 1}", "think": rng.randint(1, 25),
                        "prompt": prompt, "output": output})  # fmt: skip
    for r in out:
        r["session"], r["turn"] = r["id"].split("t")[0], int(r["id"].split("t")[1])
    return out


def engine(rng: random.Random, need: int) -> dict:
    """``need``: blocks of the largest request; the pool always holds that one."""
    conf = {
        "pool_blocks": need + rng.choice([0, 1, rng.randint(0, need), rng.randint(0, 2 * need)]),
        "max_num_seqs": rng.choice([1, 2, 3, 4, 8, 8, 16, 16]),
        "token_budget": rng.choice([16, 32, 64, 128, 256, 512]),
    }
    conf["token_budget"] = max(conf["token_budget"], conf["max_num_seqs"])  # vLLM asks for it
    if rng.random() < 0.15:
        conf["period"] = rng.choice([2, 3, 5])
    return conf


def scenario(seed: int, index: int) -> dict:
    rng = random.Random(f"{seed}/{index}")
    kind = ("single", "pull", "push")[index % 3]
    reqs = requests(rng)
    whole = max(blocks(r["prompt"] + r["output"]) for r in reqs)
    prompt = max(blocks(r["prompt"]) for r in reqs)
    base = {"name": f"r{seed}_{index:04d}_{kind}", "block_size": BLOCK}
    if kind == "single":
        return base | {"kind": "single", "engine": engine(rng, whole), "requests": reqs}
    transfer = {
        "mode": kind,
        "read_base_steps": rng.choice([1, 1, 2, 4, 9]),
        "read_blocks_per_step": rng.choice([0, 0, 1, 2, 8]),
    }
    if kind == "pull":
        transfer["sidecar_steps"] = rng.choice([1, 1, 2, 5])
    return base | {
        "kind": "pd", "prefill": engine(rng, prompt), "decode": engine(rng, whole),
        "transfer": transfer, "requests": reqs,
    }  # fmt: skip


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ask.add_argument("--seed", type=int, required=True)
    ask.add_argument("--count", type=int, required=True)
    ask.add_argument("--out", type=Path, default=Path(__file__).resolve().parent.parent / "random")
    ask.add_argument("--async-scheduling", action="store_true")
    ask.add_argument("--spec", action="store_true")
    args = ask.parse_args()
    if args.spec:
        from spec import answer
    else:
        from oracle import run as answer  # the real scheduler, needed only here
    args.out.mkdir(parents=True, exist_ok=True)
    for index in range(args.count):
        case = scenario(args.seed, index)
        if args.async_scheduling:
            case["name"] += "_async"
            for part in ("engine", "prefill", "decode"):
                if part in case:
                    case[part]["async_scheduling"] = True
        try:
            golden = answer(case)
        except Stalled as stop:  # possible: see the README
            print(f"{case['name']}: STALLED {stop}")
            case["stalls"], golden = True, None
        path = args.out / f"{case['name']}.in.json"
        path.write_text(dumps(case))
        if golden is None:
            continue
        (args.out / f"{case['name']}.out.json").write_text(dumps(golden))
        legs = [
            leg
            for r in golden["requests"].values()
            for leg in (r.values() if golden["kind"] == "pd" else [r])
        ]
        print(
            f"{case['name']}: {golden['steps_run']} steps, {len(case['requests'])} requests,"
            f" {sum(x['preemptions'] for x in legs)} preemptions,"
            f" {sum(bool(x.get('park_cached_tokens', x['cached_tokens'])) for x in legs)} hits,"
            f" {sum(x['admit_step'] > x['arrive_step'] for x in legs)} waits"
        )


if __name__ == "__main__":
    main()
