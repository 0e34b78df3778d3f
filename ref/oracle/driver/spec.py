"""The rules that the oracle shows, as a small model in plain Python (no vLLM).

    spec.py DIR...      compare with every golden DIR/NAME.out.json

Covers FCFS, one full-attention KV group, prefix caching, NIXL pull and push, synchronous
and async scheduling. Not: priorities, speculation, lease expiry, aborts.
It is written from the rules in the README, to check them; it shares only the workload
and the record of a request with the oracle.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from pathlib import Path

from scenario import MAX_STEPS, Stalled, Trace, Workload


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


class Pool:
    """Blocks. ``free`` is in eviction order: the next block to hand out comes first."""

    def __init__(self, count: int):
        self.free: OrderedDict[int, None] = OrderedDict((i, None) for i in range(count))
        self.refs = [0] * count
        self.key_of: list = [None] * count  # content key of a cached block
        self.by_key: dict = {}  # key -> ordered ids of the blocks with that content

    def take(self, count: int) -> list[int]:
        out = []
        for _ in range(count):
            block, _ = self.free.popitem(last=False)
            key, self.key_of[block] = self.key_of[block], None
            if key is not None:  # evict
                del self.by_key[key][block]
                if not self.by_key[key]:
                    del self.by_key[key]
            self.refs[block] = 1
            out.append(block)
        return out

    def touch(self, blocks: list[int]) -> None:
        for block in blocks:
            if self.refs[block] == 0:
                del self.free[block]
            self.refs[block] += 1

    def give_back(self, blocks: list[int]) -> None:
        """The request's blocks, last first. Cached ones go to the far end of the free
        queue, so the tail is evicted first; the others go to its front."""
        front = []
        for block in reversed(blocks):
            self.refs[block] -= 1
            if self.refs[block] == 0:
                if self.key_of[block] is None:
                    front.append(block)
                else:
                    self.free[block] = None
        for block in reversed(front):
            self.free[block] = None
            self.free.move_to_end(block, last=False)


class Req:
    def __init__(self, rid, prompt, max_tokens, token_of, remote):
        self.id, self.tokens, self.prompt = rid, list(prompt), len(prompt)
        self.max_tokens, self.token_of = max_tokens, token_of
        self.remote = remote  # decode leg whose transfer has not been asked for yet
        self.blocks: list[int] = []
        self.full = 0  # leading blocks that carry a content key
        self.computed = 0
        self.keys: list = []
        self.pending = 0  # async: tokens being sampled, not known yet
        self.in_flight = 0  # async: tokens scheduled whose output has not come
        self.stale = 0  # async: those of them from before a preemption
        self.last_batch = 0
        self.finished = False

    def ahead(self) -> int:
        """Length of the sequence, with the tokens still being sampled."""
        return len(self.tokens) + self.pending


class Engine:
    def __init__(self, conf: dict, block_size: int, produces: bool = False, consumes: bool = False):
        self.size, self.conf, self.produces = block_size, conf, produces
        self.is_async = conf.get("async_scheduling", False)
        self.defers = consumes and self.is_async  # keeps blocks that a batch in flight may write
        self.batches: list[list] = []  # scheduled, output not processed: [(request, tokens, samples)]
        self.sent = self.processed = 0  # batches that ran, and those whose output came
        self.period = conf.get("period", 1)
        self.pool = Pool(conf["pool_blocks"])
        self.inbox: list[Req] = []
        self.waiting: list[Req] = []
        self.parked: list[Req] = []  # hold blocks, no slot; in order of the park
        self.running: list[Req] = []
        self.ready: set[str] = set()  # parked, and the transfer is complete
        self.leases: dict[str, Req] = {}
        self.traces: dict[str, Trace] = {}
        self.free_after_schedule: list[int] = []  # by step

    def submit(self, rid, prompt, max_tokens, token_of, step, remote=False):
        self.traces[rid] = Trace(step)
        self.inbox.append(Req(rid, prompt, max_tokens, token_of, remote))

    # -- blocks -----------------------------------------------------------------

    def keys(self, req: Req) -> list:
        while (len(req.keys) + 1) * self.size <= len(req.tokens):
            at = len(req.keys) * self.size
            before = req.keys[-1] if req.keys else None
            req.keys.append(hash((before, tuple(req.tokens[at : at + self.size]))))
        return req.keys

    def hits(self, req: Req) -> list[int]:
        """Cached leading full blocks, never the whole sequence: its last token is computed."""
        out = []
        for key in self.keys(req)[: (len(req.tokens) - 1) // self.size]:
            found = self.pool.by_key.get(key)
            if not found:
                break
            out.append(next(iter(found)))
        return out

    def cache(self, req: Req, tokens: int) -> None:
        keys = self.keys(req)
        for i in range(req.full, tokens // self.size):
            self.pool.key_of[req.blocks[i]] = keys[i]
            self.pool.by_key.setdefault(keys[i], {})[req.blocks[i]] = None
        req.full = max(req.full, tokens // self.size)

    def grow(self, req: Req, tokens: int) -> bool:
        """Blocks for ``tokens`` tokens in all; False, and nothing done, if not enough."""
        need = ceil_div(tokens, self.size) - len(req.blocks)
        if need > len(self.pool.free):
            return False
        if need > 0:
            req.blocks += self.pool.take(need)
        return True

    def admit(self, req: Req, hit: list[int], upto: int, reserved: int) -> bool:
        """Blocks of a request that holds none yet, for its first ``upto`` tokens."""
        idle = sum(self.pool.refs[b] == 0 for b in hit)  # hits that lie in the free queue
        free = len(self.pool.free)
        if ceil_div(len(req.tokens), self.size) - len(hit) + idle > free:
            return False  # the whole sequence must fit now, chunked or not
        need = ceil_div(upto, self.size) - len(hit)
        if need + idle > free - reserved:
            return False
        self.pool.touch(hit)
        req.blocks = hit + self.pool.take(need)
        req.full = len(hit)
        return True

    # -- schedule ---------------------------------------------------------------

    def begin(self, step: int) -> list[tuple[Req, int]]:
        """Returns the decode legs parked now, with the number of blocks to fill."""
        parked = self.schedule(step)
        self.free_after_schedule.append(len(self.pool.free))
        return parked

    def schedule(self, step: int) -> list[tuple[Req, int]]:
        if step % self.period:
            return []
        self.waiting += self.inbox
        self.inbox = []
        budget = self.conf["token_budget"]
        chunk_cap = self.conf.get("long_prefill_token_threshold", 0) or budget
        work, parked, preempted = [], [], False
        at = 0
        while at < len(self.running) and budget > 0:
            req = self.running[at]
            count = min(req.ahead() - req.computed, chunk_cap, budget)
            last = req.pending and req.computed + 2 - req.pending >= req.prompt + req.max_tokens
            if last or count == 0:  # async: its last token is being sampled
                at += 1
                continue
            stalled = False
            while not self.grow(req, req.computed + count):
                if self.defers and self.running[-1].last_batch > self.processed:
                    stalled = True  # the victim's blocks may still be written
                    break
                victim = self.running.pop()  # the last one, maybe req itself
                preempted = True
                self.pool.give_back(victim.blocks)
                victim.blocks, victim.full, victim.computed = [], 0, 0
                victim.pending, victim.stale = 0, victim.in_flight
                self.traces[victim.id].preempt_steps.append(step)
                self.waiting.insert(0, victim)
                if victim is req:
                    break
            if stalled or req not in self.running:
                break
            self.cache(req, min(req.computed + count, len(req.tokens)))
            work.append((req, count))
            budget -= count
            at += 1

        queue = list(self.parked)
        while not preempted and budget > 0 and len(self.running) < self.conf["max_num_seqs"]:
            if queue:  # everything that holds blocks goes before the waiting queue
                req = queue.pop(0)
                if req.id not in self.ready:
                    continue
                self.parked.remove(req)
                self.ready.discard(req.id)
                self.cache(req, req.computed)
                req.computed = min(req.computed, len(req.tokens) - 1)
                hit_tokens = req.computed
            elif self.waiting:
                req = self.waiting[0]
                hit = self.hits(req)
                hit_tokens = len(hit) * self.size
                if req.remote:
                    done = {id(r): r.computed + n for r, n in work}
                    reserved = sum(
                        ceil_div(len(r.tokens), self.size) - len(r.blocks)
                        for r in self.running
                        if r.computed < len(r.tokens) and self.prefilling(r, done)
                    )
                    if not self.admit(req, hit, req.prompt, reserved):
                        break
                    self.waiting.pop(0)
                    self.parked.append(req)
                    req.remote, req.computed = False, req.prompt
                    trace = self.traces[req.id]
                    trace.park, trace.park_cached = step, hit_tokens
                    trace.read_tokens = req.prompt - hit_tokens
                    trace.read_blocks = len(req.blocks) - len(hit)
                    parked.append((req, trace.read_blocks))
                    continue
                count = min(len(req.tokens) - hit_tokens, chunk_cap, budget)
                if not self.admit(req, hit, hit_tokens + count, 0):
                    break
                self.waiting.pop(0)
                req.computed = hit_tokens
            else:
                break
            count = min(len(req.tokens) - req.computed, chunk_cap, budget)
            self.cache(req, req.computed + count)
            self.running.append(req)
            work.append((req, count))
            budget -= count
            trace = self.traces[req.id]
            if trace.admit is None:
                trace.admit, trace.cached = step, hit_tokens
            else:
                trace.resumes.append([step, hit_tokens])
        self.sent += bool(work)
        batch = []
        for req, count in work:
            req.computed += count
            req.in_flight += count
            req.last_batch = self.sent
            samples = req.computed >= req.ahead()
            req.pending += samples
            batch.append((req, count, samples))
            self.traces[req.id].add_work(step, count, self.period)
        self.batches.append(batch)
        return parked

    def has_output(self, step: int) -> bool:
        """Async keeps two batches in flight: begin() of one runs before end() of the last."""
        if (step + 1) % self.period or not self.batches:
            return False
        return not self.is_async or len(self.batches) > 1 or not self.batches[-1]

    @staticmethod
    def prefilling(req: Req, done: dict) -> bool:
        """Was it mid-prompt before this step, or admitted mid-prompt in this step?"""
        missing = len(req.tokens) - req.computed
        return missing > 1 or done.get(id(req), 0) < len(req.tokens)

    # -- output -----------------------------------------------------------------

    def end(self, step: int, arrived: list[str]) -> list[Req]:
        """``arrived``: transfers complete now (frees a lease, or readies a parked one)."""
        finished = []
        batch = self.batches.pop(0)
        self.processed += bool(batch)
        for req, count, samples in batch:
            req.in_flight -= count
            stale = req.stale > 0
            if stale:
                req.stale -= count
            if req.finished or not samples:
                continue
            trace = self.traces[req.id]
            made = len(req.tokens) - req.prompt
            if trace.first_token is None:
                trace.first_token = step
            req.tokens.append(req.token_of(made))
            req.pending -= not stale
            if self.is_async and req in self.running:
                self.cache(req, req.computed - req.pending)
            if made + 1 < req.max_tokens:
                continue
            trace.last_token = step
            (self.running if req in self.running else self.waiting).remove(req)
            req.finished = True
            finished.append(req)
            if self.produces:
                trace.lease_blocks = len(req.blocks)
                self.leases[req.id] = req
            else:
                self.pool.give_back(req.blocks)
        for rid in arrived:
            if self.produces:
                self.traces[rid].lease_free = step
                self.pool.give_back(self.leases.pop(rid).blocks)
            else:
                self.traces[rid].read_done = step
                self.ready.add(rid)
        return finished


def run_single(scenario: dict) -> dict:
    engine = Engine(scenario["engine"], scenario["block_size"])
    load = Workload(scenario["requests"])
    step, frees = 0, []
    while load.left:
        if step == MAX_STEPS:
            raise Stalled
        for rid in load.arrivals(step):
            spec = load.specs[rid]
            engine.submit(rid, load.prompts[rid], spec["output"], load.token_of(rid), step)
        engine.begin(step)
        if engine.has_output(step):
            for req in engine.end(step, []):
                load.done(req.id, step)
        frees.append(len(engine.pool.free))
        step += 1
    return {"steps_run": step, "frees": [frees], "scheduled": [engine.free_after_schedule],
            "requests": {r: engine.traces[r].dump() for r in load.order}}  # fmt: skip


def run_pd(scenario: dict) -> dict:
    conf, size = scenario["transfer"], scenario["block_size"]
    push = conf["mode"] == "push"
    base, rate = conf.get("read_base_steps", 1), conf.get("read_blocks_per_step", 0)
    prefill = Engine(scenario["prefill"], size, produces=True)
    decode = Engine(scenario["decode"], size, consumes=True)
    load = Workload(scenario["requests"])
    handoffs: dict[int, list[str]] = {}
    wire: list[tuple[int, str, Engine]] = []
    wants: dict[str, int] = {}  # push: blocks the decoder registered
    has: list[str] = []  # push: prompts the prefiller has announced
    news: list[str] = []  # push: finished, announced with the prefiller's next schedule()
    step, frees = 0, [[], []]

    def to_decode(rid):
        spec = load.specs[rid]
        decode.submit(rid, load.prompts[rid], spec["output"], load.token_of(rid), step, remote=True)

    def start(rid, blocks):
        ready = step + max(1, base + (ceil_div(blocks, rate) if rate else 0))
        wire.extend([(ready, rid, prefill), (ready, rid, decode)])

    while load.left or prefill.leases or prefill.inbox or prefill.waiting or prefill.running or any(prefill.batches):
        if step == MAX_STEPS:
            raise Stalled
        for rid in load.arrivals(step):
            prefill.submit(rid, load.prompts[rid], 1, load.token_of(rid), step)
            if push:
                to_decode(rid)
        for rid in handoffs.pop(step, []):
            to_decode(rid)
        prefill.begin(step)
        if step % prefill.period == 0:
            has, news = has + news, []
        for req, blocks in decode.begin(step):
            if push:
                wants[req.id] = blocks
            else:
                start(req.id, blocks)
        for rid in [r for r in has if r in wants]:
            has.remove(rid)
            start(rid, wants.pop(rid))
        for engine in (prefill, decode):
            if not engine.has_output(step):
                continue
            due = sorted((e for e in wire if e[2] is engine and e[0] <= step), key=lambda e: e[0])
            for entry in due:
                wire.remove(entry)
            for req in engine.end(step, [e[1] for e in due]):
                if engine is decode:
                    load.done(req.id, step)
                elif push:
                    news.append(req.id)
                else:
                    handoffs.setdefault(step + max(1, conf.get("sidecar_steps", 1)), []).append(req.id)
        for log, engine in zip(frees, (prefill, decode)):
            log.append(len(engine.pool.free))
        step += 1
    return {"steps_run": step, "frees": frees,
            "scheduled": [e.free_after_schedule for e in (prefill, decode)],
            "requests": {r: {"prefill": prefill.traces[r].dump(), "decode": decode.traces[r].dump()}
                         for r in load.order}}  # fmt: skip


def answer(scenario: dict) -> dict:
    """What the rules say, in the layout of a golden, as far as it goes."""
    single = scenario["kind"] == "single"
    said = (run_single if single else run_pd)(scenario)
    engines = ["steps"] if single else ["prefill_steps", "decode_steps"]
    return {
        "scenario": scenario["name"], "kind": scenario["kind"], "answered_by": "spec.py",
        "steps_run": said["steps_run"], "requests": said["requests"],
    } | {
        engine: {"free_after_schedule": scheduled, "free_after_update": updated}
        for engine, scheduled, updated in zip(engines, said["scheduled"], said["frees"])
    }  # fmt: skip


def main(folders: list[str]) -> int:
    good = bad = skipped = 0
    for path in sorted(p for f in folders for p in Path(f).glob("*.in.json")):
        scenario = json.loads(path.read_text())
        golden_path = path.with_name(path.name.replace(".in.json", ".out.json"))
        if not golden_path.exists():
            skipped += 1
            continue
        golden = json.loads(golden_path.read_text())
        mine = json.loads(json.dumps({"single": run_single, "pd": run_pd}[scenario["kind"]](scenario)))
        keys = ["steps"] if scenario["kind"] == "single" else ["prefill_steps", "decode_steps"]
        theirs = {"steps_run": golden["steps_run"], "requests": golden["requests"],
                  "frees": [golden[k]["free_after_update"] for k in keys]}  # fmt: skip
        if all(mine[k] == theirs[k] for k in theirs):
            good += 1
            continue
        bad += 1
        print(f"{path.name}: differs")
        for rid in theirs["requests"] if mine["requests"] else []:
            if mine["requests"][rid] != theirs["requests"][rid]:
                print(f"  {rid} vllm {theirs['requests'][rid]}\n  {rid} spec {mine['requests'][rid]}")
                break
        else:
            print("  only the free-block counts")
    print(f"{good} equal, {bad} differ, {skipped} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
