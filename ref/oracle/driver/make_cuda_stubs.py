"""Makes empty stand-ins for the CUDA libraries that the torch wheel links to.

    python make_cuda_stubs.py      (with the venv's python; needs cc and nm)

With these the nvidia-* and triton packages (about 2.2 GB to download) need not be
installed: torch imports, CPU only, and any CUDA call would abort. Only for the oracle.
"""

import re
import site
import subprocess
import tempfile
from pathlib import Path

LIB = Path(site.getsitepackages()[0]) / "torch" / "lib"


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    libs = [p for p in LIB.glob("*.so*") if not p.is_symlink()]
    have = {p.name for p in LIB.glob("*.so*")}
    needed, wanted, defined = set(), set(), set()
    versions: dict[str, set[str]] = {}  # library -> symbol versions asked of it
    for lib in libs:
        needed |= set(re.findall(r"\(NEEDED\).*\[(.+?)\]", run("readelf", "-dW", str(lib))))
        file = ""
        for line in run("readelf", "-VW", str(lib)).splitlines():
            if found := re.search(r"File: (\S+)", line):
                file = found[1]
            elif found := re.search(r"Name: (\S+)\s+Flags", line):
                versions.setdefault(file, set()).add(found[1])
        for line in run("nm", "-D", str(lib)).splitlines():
            kind, name = line.split()[-2:]
            (wanted if kind in "Uwv" else defined).add(name.replace("@@", "@"))
    system = re.compile(r"^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|gomp.*|z)\.so|ld-linux)")
    missing = sorted(n for n in needed - have if not system.match(n))
    cuda = re.compile(r"^_?_?(cu[a-zA-Z]|nccl|nvrtc|nvshmem|nvtx|nvjit|nvml)")
    plain = {n for n in wanted - defined if cuda.match(n) and re.fullmatch(r"\w+", n)}
    with tempfile.TemporaryDirectory() as tmp:
        source, script = Path(tmp) / "stub.c", Path(tmp) / "stub.map"
        for name in missing:
            mine = set(plain)
            nodes = ""
            for version in sorted(versions.get(name, ())):
                bound = {n.split("@")[0] for n in wanted if n.endswith(f"@{version}")}
                mine |= bound
                nodes += f"{version} {{ global: {' '.join(f'{n};' for n in sorted(bound))} }};\n"
            source.write_text("".join(f"int {n}(void) {{ return 100; }}\n" for n in sorted(mine)))
            script.write_text(nodes)
            versioned = [f"-Wl,--version-script={script}"] if nodes else []
            run("cc", "-shared", "-fPIC", "-O0", "-w", "-fno-builtin", f"-Wl,-soname,{name}",
                *versioned, "-o", str(LIB / name), str(source))  # fmt: skip
    print(f"{len(missing)} stand-ins: {' '.join(missing)}")


if __name__ == "__main__":
    main()
