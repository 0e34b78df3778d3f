"""Runs a program once with pyserq: FILE HORIZON WARMUP CONSTANTS --seed SEED, the constants as JSON.

pyserq sizes families while it reads a program, so the constants are written into the text, and so are the files that it
uses, because a text has no folder.
"""

import json
import pathlib
import re
import sys

import pyserq

_, file, horizon, warmup, constants, _, seed = sys.argv
path = pathlib.Path(file)
text = path.read_text()
text = re.sub(r'(?m)^use "(.*)";', lambda used: (path.parent / used[1]).read_text(), text)
for name, value in json.loads(constants).items():
    text, times = re.subn(rf"(?m)^let {name} *= *[^;]*;", f"let {name} = {value!r};", text)
    if times != 1:
        sys.exit(f"{file}: {times} constants `{name}`")
pyserq.run(pyserq.compile(source=text, seed=int(seed), horizon=float(horizon), warmup=float(warmup)))
