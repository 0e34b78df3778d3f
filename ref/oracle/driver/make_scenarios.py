"""Writes the hand-made scenarios as scenarios/NAME.in.json (goldens: oracle.py --all scenarios)."""

import json
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "scenarios"
BLOCK = 16  # tokens a block


def req(rid, arrive, prompt, output, **more):
    """arrive: step; prompt, output: tokens; more: session, turn, shared_prefix."""
    return {"id": rid, "arrive": arrive, "prompt": prompt, "output": output, **more}


def turn(rid, after, think, prompt, output, **more):
    """Arrives ``think`` steps after ``after``'s last token; prompt includes the history."""
    return {"id": rid, "after": after, "think": think, "prompt": prompt, "output": output, **more}


def engine(pool_blocks, max_num_seqs=8, token_budget=64, **more):
    return {
        "pool_blocks": pool_blocks, "max_num_seqs": max_num_seqs, "token_budget": token_budget, **more,
    }  # fmt: skip


def write(name, kind, about, requests, **more):
    for r in requests:  # a session is a chain of turns
        parent = next((p for p in requests if p["id"] == r.get("after")), None)
        r["session"] = parent["session"] if parent else r["id"]
        r["turn"] = parent["turn"] + 1 if parent else 0
    data = {"name": name, "kind": kind, "about": about, "block_size": BLOCK, **more, "requests": requests}
    lines = [f' "{k}": {json.dumps(v)}' for k, v in data.items() if k != "requests"]
    rows = ",\n".join("  " + json.dumps(r) for r in requests)
    (OUT / f"{name}.in.json").write_text("{\n" + ",\n".join(lines) + ',\n "requests": [\n' + rows + "\n ]\n}\n")


def single(name, about, eng, requests):
    write(name, "single", about, requests, engine=eng)


def pd(name, about, prefill, decode, requests, mode="pull", base=1, rate=0, sidecar=1):
    transfer = {"mode": mode, "read_base_steps": base, "read_blocks_per_step": rate}
    if mode == "pull":
        transfer["sidecar_steps"] = sidecar
    write(name, "pd", about, requests, prefill=prefill, decode=decode, transfer=transfer)


def singles():
    single("s01_chunked_prefill", "three prompts share a budget of 64 tokens a step", engine(64),
           [req("a", 0, 100, 4), req("b", 0, 150, 4), req("c", 1, 80, 4)])
    single("s02_max_num_seqs", "five small requests, two running slots", engine(64, max_num_seqs=2),
           [req("a", 0, 20, 5), req("b", 0, 20, 3), req("c", 0, 20, 6), req("d", 1, 20, 2), req("e", 2, 20, 4)])
    single("s03_head_of_line", "b's prompt does not fit, c would and waits behind it", engine(20, token_budget=256),
           [req("a", 0, 200, 12), req("b", 1, 160, 4), req("c", 1, 16, 4)])
    single("s04_preempt_last", "a grows, b (the last running) loses its blocks and is recomputed",
           engine(14, token_budget=256), [req("a", 0, 96, 50), req("b", 1, 96, 50)])
    single("s05_preempt_self", "b itself needs the block and is the last running one",
           engine(14, token_budget=256), [req("a", 0, 104, 60), req("b", 0, 100, 60)])
    single("s06_follow_up_turn", "turn 1 hits the full blocks of prompt+output of turn 0 less its last token",
           engine(64, token_budget=256),
           [req("a0", 0, 100, 29), turn("a1", "a0", 5, 150, 10), turn("a2", "a1", 3, 200, 5)])
    single("s07_whole_prompt_cached", "an equal prompt: the last block is recomputed, whole when aligned",
           engine(64, token_budget=256),
           [req("a", 0, 64, 2, shared_prefix=64), req("b", 5, 64, 2, shared_prefix=64),
            req("c", 10, 72, 2, shared_prefix=72), req("d", 15, 72, 2, shared_prefix=72),
            req("e", 20, 65, 2, shared_prefix=65)])
    single("s08_evict_tail_first", "c takes the free queue's head, then the tail of the waiting session's prefix",
           engine(20, token_budget=512),
           [req("a0", 0, 160, 8), req("c", 12, 220, 4), turn("a1", "a0", 20, 200, 4)])
    single("s09_evict_older_first", "two idle sessions; the one that finished first loses blocks first",
           engine(24, token_budget=512),
           [req("a0", 0, 128, 4), req("b0", 0, 128, 8), req("c", 12, 190, 4),
            turn("a1", "a0", 24, 160, 4), turn("b1", "b0", 32, 160, 4)])
    single("s10_shared_prefix_same_step", "b and c hit blocks that a is only computing in that very step",
           engine(64, token_budget=512),
           [req("a", 0, 120, 4, shared_prefix=96), req("b", 0, 130, 4, shared_prefix=96), req("c", 1, 100, 4, shared_prefix=96)])
    single("s11_mixed", "twelve requests, three sessions, tight pool", engine(40, max_num_seqs=4, token_budget=96),
           [req("a0", 0, 120, 20, shared_prefix=48), req("b0", 1, 90, 30, shared_prefix=48), req("x", 2, 200, 10),
            req("c0", 3, 60, 12, shared_prefix=48), req("y", 4, 33, 40), req("z", 9, 250, 6),
            turn("a1", "a0", 4, 180, 15), turn("b1", "b0", 2, 150, 20), turn("c1", "c0", 6, 100, 25),
            turn("a2", "a1", 8, 240, 10), req("w", 30, 64, 8), turn("b2", "b1", 3, 200, 12)])
    single("s12_whole_prompt_gate", "b's first chunk would fit, its whole prompt does not: not admitted",
           engine(20, token_budget=64), [req("a", 0, 120, 10), req("b", 1, 240, 4)])
    single("s13_decodes_first", "running decodes take the budget before a prompt's chunk",
           engine(64, token_budget=8), [req(f"d{i}", i, 8, 30) for i in range(6)] + [req("p", 8, 40, 4)])
    single("s14_no_admission_with_preemption", "a step that preempts admits nobody; the victim is first in line",
           engine(14, max_num_seqs=8, token_budget=256),
           [req("a", 0, 96, 40), req("b", 1, 96, 40), req("c", 15, 10, 5)])
    single("s15_gate_overcommits", "each prompt passes the gate alone; together they do not fit: b preempted mid-prefill",
           engine(24, token_budget=64, long_prefill_token_threshold=32), [req("a", 0, 256, 8), req("b", 0, 240, 8)])
    single("s16_lost_prefix_after_preemption", "the victim finds its own blocks again, less what was taken",
           engine(18, token_budget=256), [req("a", 0, 110, 70), req("b", 0, 110, 70)])
    single("s17_preempted_while_catching_up", "a request is preempted again before it has caught up: all of its output is still to be caught up with",
           engine(18, token_budget=256, long_prefill_token_threshold=6),
           [req("a", 0, 13, 24), req("b", 0, 27, 26), req("c", 0, 177, 1), req("d", 0, 14, 23)])


def pulls():
    roomy = lambda **k: engine(128, token_budget=256, **k)  # noqa: E731
    pd("p01_plain", "one request at a time", roomy(), roomy(), [req("a", 0, 100, 5), req("b", 12, 64, 5)], base=2)
    pd("p02_decode_room_for_one", "the decoder fits one request, the prefiller two: leases pile up, admissions stop",
       engine(26, token_budget=256), engine(16, token_budget=256), [req(f"r{i}", i, 200, 16) for i in range(5)], base=3)
    pd("p03_local_hit_shortens_read", "turn 1 reads only what the decoder has not cached", roomy(), roomy(),
       [req("a0", 0, 200, 20), turn("a1", "a0", 4, 260, 10), turn("a2", "a1", 4, 400, 6)], base=1, rate=2)
    pd("p04_prefiller_keeps_cache", "blocks read and freed stay cached on the prefiller; its own limit evicts them",
       engine(20, token_budget=256), roomy(),
       [req("a0", 0, 128, 8), req("b", 14, 200, 4), turn("a1", "a0", 20, 180, 4)], base=2)
    pd("p05_decode_preemption", "after the read b is preempted: recomputed on the decoder, no second read",
       roomy(), engine(15, token_budget=64), [req("a", 0, 100, 60), req("b", 0, 100, 60)], base=2)
    pd("p06_six_staggered", "six requests, staggered", engine(60, token_budget=128), engine(60, max_num_seqs=4, token_budget=128),
       [req(f"r{i}", 2 * i, 60 + 37 * i, 10 + 3 * i) for i in range(6)], base=1, rate=4)
    pd("p07_decode_slots_full", "no running slot: the next request is not parked, its read does not start",
       roomy(), roomy(max_num_seqs=1), [req("a", 0, 60, 12), req("b", 5, 60, 12), req("c", 5, 60, 4)], base=2)
    pd("p08_parks_exceed_slots", "four park while no slot is taken; then two run at a time",
       roomy(), roomy(max_num_seqs=2), [req(f"r{i}", 0, 40 + i, 6) for i in range(4)], base=4)
    pd("p09_ready_goes_first", "c waits for blocks at the head of the queue (d behind it); b, whose read ends later, passes both",
       roomy(), engine(24, token_budget=256), [req("a", 0, 150, 10), req("b", 1, 150, 10), req("c", 2, 150, 10), req("d", 3, 16, 4)], base=6)
    pd("p10_slow_sidecar", "five steps between the legs: the lease lasts longer", engine(20, token_budget=256), roomy(),
       [req(f"r{i}", i, 120, 8) for i in range(4)], base=1, sidecar=5)
    pd("p11_slow_read", "one block a step", engine(40, token_budget=256), engine(40, token_budget=256),
       [req("a", 0, 200, 8), req("b", 1, 40, 8), req("c", 2, 300, 8)], base=0, rate=1)
    pd("p12_chunked_prefill", "long prompts in chunks on the prefiller", engine(64, token_budget=64), roomy(),
       [req("a", 0, 300, 6), req("b", 0, 100, 6), req("c", 3, 200, 6), req("d", 4, 30, 6)], base=1, rate=8)
    pd("p13_prefiller_preempts", "two prompts overcommit the prefiller; the later is preempted mid-prefill",
       engine(24, token_budget=64, long_prefill_token_threshold=32), roomy(),
       [req("a", 0, 256, 4), req("b", 0, 240, 4)], base=2)
    pd("p14_ready_passes_preempted", "a read completes while a preempted request waits", roomy(), engine(16, token_budget=64),
       [req("a", 0, 100, 60), req("b", 0, 90, 60), req("c", 19, 30, 6), req("d", 40, 16, 4)], base=14)
    pd("p15_long_prefill_steps", "an engine step of the prefiller takes four steps of the decoder",
       engine(40, token_budget=128, period=4), roomy(), [req(f"r{i}", 3 * i, 150, 12) for i in range(5)], base=2)
    pd("p16_multi_turn_both_tight", "three sessions of three turns; both pools evict", engine(44, token_budget=128),
       engine(48, max_num_seqs=3, token_budget=128),
       [req(f"{s}0", 2 * i, 100, 20, shared_prefix=32) for i, s in enumerate("abc")]
       + [turn(f"{s}1", f"{s}0", 5 + i, 180, 20) for i, s in enumerate("abc")]
       + [turn(f"{s}2", f"{s}1", 7 - i, 260, 20) for i, s in enumerate("abc")], base=1, rate=4)
    pd("p17_prefiller_no_lease_room", "the prefiller's pool is all leases: head of line blocked until a read completes",
       engine(14, token_budget=256), roomy(), [req("a", 0, 200, 4), req("b", 1, 20, 4), req("c", 2, 200, 4)], base=10)
    pd("p18_reserved_for_prefill", "a park must leave the blocks that a resumed (recomputing) prompt still needs",
       roomy(), engine(24, token_budget=64, long_prefill_token_threshold=16),
       [req("a", 0, 120, 120), req("b", 0, 160, 60), req("c", 50, 190, 6)], base=2)
    pd("p19_no_promotion_with_preemption", "c's read is ready in the step that preempts b: admitted one step later",
       roomy(), engine(16, token_budget=64), [req("a", 0, 100, 60), req("b", 0, 90, 60), req("c", 13, 30, 6)], base=14)
    pd("p20_no_park_without_budget", "b's recomputation uses the whole budget: c is not even parked",
       roomy(), engine(24, token_budget=32), [req("a", 0, 120, 120), req("b", 0, 160, 60), req("c", 123, 30, 6)], base=2)
    pd("p21_two_copies", "a and b read the same prefix at once: two cached copies; x evicts one of them",
       roomy(), engine(24, token_budget=256),
       [req("a", 0, 80, 2, shared_prefix=64), req("b", 0, 90, 6, shared_prefix=64), req("x", 20, 330, 2),
        req("c", 40, 70, 2, shared_prefix=64)], base=2)
    pd("p22_promoted_by_park", "a is parked before b and its read ends after b's; when x leaves the slot a is promoted first",
       roomy(), roomy(max_num_seqs=1), [req("x", 0, 20, 30), req("a", 1, 300, 4), req("b", 3, 20, 4)], base=1, rate=1)
    pd("p23_parked_in_one_step", "as p22, a and b parked in one step",
       engine(128, token_budget=512), roomy(max_num_seqs=1), [req("x", 0, 20, 30), req("a", 1, 300, 4), req("b", 1, 20, 4)], base=1, rate=1)


def pushes():
    roomy = lambda **k: engine(128, token_budget=256, **k)  # noqa: E731
    pd("q01_push_plain", "both legs at arrival; the decoder's blocks are held through the prefill",
       engine(128, token_budget=32), roomy(), [req("a", 0, 100, 5), req("b", 12, 64, 5)], mode="push", base=2)
    pd("q02_push_decode_room_for_one", "as p02, push", engine(26, token_budget=256), engine(16, token_budget=256),
       [req(f"r{i}", i, 200, 16) for i in range(5)], mode="push", base=3)
    pd("q03_push_local_hit", "as p03, push", roomy(), roomy(),
       [req("a0", 0, 200, 20), turn("a1", "a0", 4, 260, 10), turn("a2", "a1", 4, 400, 6)], mode="push", base=1, rate=2)
    pd("q04_push_six_staggered", "as p06, push", engine(60, token_budget=128), engine(60, max_num_seqs=4, token_budget=128),
       [req(f"r{i}", 2 * i, 60 + 37 * i, 10 + 3 * i) for i in range(6)], mode="push", base=1, rate=4)
    pd("q05_push_decode_slots_full", "as p07, push: a finished prefill waits for the registration", roomy(),
       roomy(max_num_seqs=1), [req("a", 0, 60, 12), req("b", 5, 60, 12), req("c", 5, 60, 4)], mode="push", base=2)
    pd("q06_push_decode_preemption", "as p05, push", roomy(), engine(15, token_budget=64),
       [req("a", 0, 100, 60), req("b", 0, 100, 60)], mode="push", base=2)


def asyncs():
    """The scheduler that vLLM serves with by default: schedule(k+1) runs before update(k)."""
    single("z01_async_plain", "as s01, async scheduling", engine(64, async_scheduling=True),
           [req("a", 0, 100, 4), req("b", 0, 150, 4), req("c", 1, 80, 4)])
    single("z02_async_preempt_last", "as s04, async scheduling", engine(14, token_budget=256, async_scheduling=True),
           [req("a", 0, 96, 50), req("b", 1, 96, 50)])
    pd("z03_async_pd_plain", "as p01, async scheduling on both", engine(128, token_budget=256, async_scheduling=True),
       engine(128, token_budget=256, async_scheduling=True), [req("a", 0, 100, 5), req("b", 12, 64, 5)], base=2)
    pd("z04_async_pd_six", "as p06, async scheduling on both", engine(60, token_budget=128, async_scheduling=True),
       engine(60, max_num_seqs=4, token_budget=128, async_scheduling=True),
       [req(f"r{i}", 2 * i, 60 + 37 * i, 10 + 3 * i) for i in range(6)], base=1, rate=4)
    pd("z05_async_decode_preemption", "as p05, async: the decoder stalls one step before it may preempt",
       engine(128, token_budget=256, async_scheduling=True), engine(15, token_budget=64, async_scheduling=True),
       [req("a", 0, 100, 60), req("b", 0, 100, 60)], base=2)
    pd("z06_async_push_six", "as q04, async scheduling on both", engine(60, token_budget=128, async_scheduling=True),
       engine(60, max_num_seqs=4, token_budget=128, async_scheduling=True),
       [req(f"r{i}", 2 * i, 60 + 37 * i, 10 + 3 * i) for i in range(6)], mode="push", base=1, rate=4)
    single("z07_async_slots", "as s02, async: a finished request keeps its slot one step longer",
           engine(64, max_num_seqs=2, async_scheduling=True),
           [req("a", 0, 20, 5), req("b", 0, 20, 3), req("c", 0, 20, 6), req("d", 1, 20, 2), req("e", 2, 20, 4)])


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    singles(), pulls(), pushes(), asyncs()
