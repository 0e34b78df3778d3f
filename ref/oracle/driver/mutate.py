"""Drops or changes one rule of spec.py at a time and counts the goldens that then differ."""

import contextlib
import io
import sys
import types
from pathlib import Path

SOURCE = (Path(__file__).resolve().parent / "spec.py").read_text()
RULES = {
    "whole sequence must fit at admission": (
        "            return False  # the whole sequence must fit now, chunked or not", "            pass"),
    "hits that lie in the free queue use up free blocks": (
        "idle = sum(self.pool.refs[b] == 0 for b in hit)", "idle = 0 * sum(self.pool.refs[b] == 0 for b in hit)"),
    "uncached freed blocks go to the front of the free queue": (
        "            self.free.move_to_end(block, last=False)", "            pass"),
    "a request's tail is evicted before its head": ("for block in reversed(blocks):", "for block in list(blocks):"),
    "victim: the last running": ("victim = self.running.pop()  # the last one, maybe req itself",
                                 "victim = self.running.pop(at)"),
    "victim goes to the front of the waiting queue": ("self.waiting.insert(0, victim)", "self.waiting.append(victim)"),
    "no admission in a step that preempted": (
        "while not preempted and budget > 0 and", "while budget > 0 and"),
    "a ready transfer goes before the waiting queue": (
        "if queue:  # everything that holds", "if queue and not (self.waiting and self.waiting[0].remote):  # "),
    "ready transfers go in the order of their parks": (
        "queue = list(self.parked)", "queue = list(reversed(self.parked))"),
    "the last token of a cached sequence is recomputed": (
        "[: (len(req.tokens) - 1) // self.size]", "[: len(req.tokens) // self.size]"),
    "read blocks are cached at the promotion, not when the read ends": (
        "                self.ready.add(rid)",
        "                self.ready.add(rid)\n                [self.cache(r, r.computed) for r in self.parked if r.id == rid]"),
    "no park while every slot is taken": (
        'and len(self.running) < self.conf["max_num_seqs"]:',
        'and (len(self.running) < self.conf["max_num_seqs"] or (not queue and self.waiting and self.waiting[0].remote)):'),
    "no park once the budget is used": (
        "while not preempted and budget > 0 and", "while not preempted and (budget > 0 or (not queue and self.waiting and self.waiting[0].remote)) and"),
    "a park leaves the blocks that running prompts still need": (
        "if not self.admit(req, hit, req.prompt, reserved):", "if not self.admit(req, hit, req.prompt, 0):"),
    "one transfer a request (preempted: recomputed locally)": (
        "req.remote, req.computed = False, req.prompt", "req.computed = req.prompt"),
    "equal content may be cached twice": (
        "            self.pool.key_of[req.blocks[i]] = keys[i]",
        "            if keys[i] in self.pool.by_key:\n                continue\n            self.pool.key_of[req.blocks[i]] = keys[i]"),
    "head of line: a waiting request that does not fit blocks the rest": (
        "                if not self.admit(req, hit, hit_tokens + count, 0):\n                    break\n                self.waiting.pop(0)",
        "                if not self.admit(req, hit, hit_tokens + count, 0):\n                    k = next((k for k, r in enumerate(self.waiting) if not r.remote and ceil_div(len(r.tokens), self.size) <= len(self.pool.free)), None)\n                    if k is None:\n                        break\n                    req = self.waiting[k]; hit = self.hits(req); hit_tokens = len(hit) * self.size\n                    count = min(len(req.tokens) - hit_tokens, chunk_cap, budget)\n                    if not self.admit(req, hit, hit_tokens + count, 0):\n                        break\n                    self.waiting.insert(0, self.waiting.pop(k))\n                self.waiting.pop(0)"),
    "the prefiller keeps full blocks cached after the read": (
        "                self.pool.give_back(self.leases.pop(rid).blocks)",
        "                gone = self.leases.pop(rid)\n                [self.pool.by_key.pop(self.pool.key_of[b], 0) for b in gone.blocks if self.pool.refs[b] == 1]\n                for b in gone.blocks:\n                    if self.pool.refs[b] == 1:\n                        self.pool.key_of[b] = None\n                self.pool.give_back(gone.blocks)"),
    "the prefiller's lease holds blocks until the read ends": (
        "            if self.produces:\n                trace.lease_blocks = len(req.blocks)\n                self.leases[req.id] = req",
        "            if self.produces:\n                trace.lease_blocks = len(req.blocks)\n                self.leases[req.id] = Req(req.id, [], 0, None, False)\n                self.pool.give_back(req.blocks)"),
    "async: the decoder does not preempt a request in flight": (
        "if self.defers and self.running", "if False and self.running"),
    "the transfer is shortened by the local hit": (
        "trace.read_blocks = len(req.blocks) - len(hit)", "trace.read_blocks = len(req.blocks)"),
    "the decoder computes one token (its prompt's last) after the read": (
        "req.computed = min(req.computed, len(req.tokens) - 1)", "req.computed = min(req.computed, (len(req.tokens) - 1) // self.size * self.size)"),
}


def main(folders):
    for rule, change in RULES.items():
        assert SOURCE.count(change[0]) == 1, rule
        module = types.ModuleType("mutant")
        code = SOURCE.replace(*change).replace("MAX_STEPS, Stalled", "Stalled").replace(
            "from scenario import Stalled", "MAX_STEPS = 4999\nfrom scenario import Stalled")
        exec(compile(code, "mutant", "exec"), module.__dict__)
        single = [module.run_single, module.run_pd]

        def guard(run):
            def call(case):
                try:
                    return run(case)
                except Exception:
                    return {"steps_run": -1, "frees": [], "requests": {}}
            return call

        module.run_single, module.run_pd = guard(single[0]), guard(single[1])
        buffer = io.StringIO()
        with contextlib.redirect_stdout(buffer):
            try:
                module.main(folders)
            except Exception as error:
                print("crash", repr(error))
        text = buffer.getvalue()
        names = [line.split(".")[0] for line in text.splitlines() if line.endswith(": differs")]
        hand = [n for n in names if not n.startswith("r7_")]  # the random ones of this folder are seed 7
        print(f"{rule}: {len(names)} differ; hand-made: {', '.join(h.split('_')[0] for h in hand) or '-'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
