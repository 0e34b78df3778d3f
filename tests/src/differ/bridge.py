"""Answers programs by the rules model: one line of JSON in, {"path": FILE, "sets": {}}, one line of JSON out.

Arguments: the folder of model.py. The interpreter must have the reference package, of which only the front end is
used here: it turns a program into the model's input.
"""
import json
import math
import os
import sys

sys.path.insert(0, sys.argv[1])
import model
import pyserq


class Watched(model.Model):
    """With the rule that the model leaves out: a session that becomes ready a thousand times at one instant, as when
    holders preempt each other for ever, stops the run."""

    def runs(self, session):
        instant, count = getattr(session, "ready_at", (None, 0))
        count = count + 1 if instant == self.t else 1
        session.ready_at = (self.t, count)
        if count > 1000:
            raise model.Err("livelock")
        return super().runs(session)


def words(value):
    """JSON has no word for what is not finite."""
    if isinstance(value, dict):
        return {key: words(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [words(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    return value


def comparable(answer, ir):
    """Without the utilization where the model's is the share of time with somebody present, which is another thing."""
    for row, stage in zip(answer["stages"], ir["stages"]):
        kind = stage["kind"]
        one_server = isinstance(kind, dict) and (kind.get("Fifo") == 1 or "Num" in (kind.get("Ps") or {}))
        if not one_server:
            row.pop("utilization", None)
    return answer


def answer(job):
    try:
        program = pyserq.compile(job["path"], sets=job.get("sets") or {})
    except BaseException as error:
        return {"where": "link", "message": str(error)}
    try:
        ir = json.loads(program.to_json())
        return comparable(Watched(ir, os.path.dirname(job["path"]), right=True).run(), ir)
    except BaseException as error:
        return {"where": "run", "message": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(words(answer(json.loads(line)))), flush=True)
