# SPDX-License-Identifier: MIT
"""Where a benchmark runs: machine, revision, versions of rivals, and what the machine could do at best."""

from __future__ import annotations

import ctypes
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NODE = ROOT / "tests" / "node"
# Packages that benchmarks run beside lissom: what is imported, and by which name it is installed.
RIVALS = {
    "DracoPy": "dracopy",
    "daqp": "daqp",
    "dqrobotics": "dqrobotics",
    "embreex": "embreex",
    "igl": "libigl",
    "ikpy": "ikpy",
    "mink": "mink",
    "mujoco": "mujoco",
    "numba": "numba",
    "pxr": "usd-core",
    "pygltflib": "pygltflib",
    "pymotion": "upc-pymotion",
    "pytransform3d": "pytransform3d",
    "rtree": "rtree",
    "scipy": "scipy",
    "trimesh": "trimesh",
}
LANES = {"v2": 4, "v3": 8, "v4": 16}  # floats in a vector of an instruction set
CHAINS = 12  # products that do not wait for each other: more than latency times units of any processor


def processor() -> str:
    """Name the processor as the system does."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or "a processor that does not say its name"


def revision() -> str | None:
    """Name the commit, with a + where files differ from it; None where there is no git."""
    try:
        done = [
            subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            for words in (("rev-parse", "--short=10", "HEAD"), ("status", "--porcelain", "-uno"))
        ]
    except (OSError, subprocess.CalledProcessError):
        return None
    return done[0].strip() + "+" * bool(done[1].strip())


def versions() -> dict[str, str]:
    """Versions of the rivals that this process has run, by the names they are installed by."""
    found = {"python": platform.python_version()}
    for module, name in {"numpy": "numpy", **RIVALS}.items():
        if module in sys.modules:
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
    return found


def node_version(package: str) -> str | None:
    """Version of a package of tests/node."""
    try:
        text = (NODE / "node_modules" / package / "package.json").read_text(encoding="utf-8")
    except OSError:
        return None
    return str(json.loads(text)["version"])


def load() -> float | None:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def fma_rate(isa: str) -> float | None:
    """Products and sums a second of one thread, at its best; None where numba's compiler is not there.

    A loop of fused multiply-adds alone, on as many chains as hide their latency and on vectors as wide as the
    instruction set has. What the compiler of numba makes of it runs without Python.
    """
    try:
        from llvmlite import binding as llvm
    except ImportError:
        return None
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2
    )
    module = llvm.parse_assembly(_fma_loop(LANES.get(isa, 4)))
    module.triple = llvm.get_default_triple()
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        loop = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_int64)(engine.get_function_address("fma_loop"))
        return _operations(loop, LANES.get(isa, 4))


def _operations(loop: Callable[[int], float], lanes: int) -> float:
    count, least = 20_000, float("inf")
    for _ in range(60):
        begin = time.perf_counter()
        loop(count)
        least = min(least, time.perf_counter() - begin)
    return 2 * CHAINS * lanes * count / least


def _fma_loop(lanes: int) -> str:
    kind = f"<{lanes} x float>"
    every = range(CHAINS)
    half = f"{kind} <" + ", ".join(["float 0.5"] * lanes) + ">"
    lines = [
        f"declare {kind} @llvm.fma.v{lanes}f32({kind}, {kind}, {kind})",
        "define float @fma_loop(i64 %n) #0 {",
        "start:\n br label %loop",
        "loop:\n %i = phi i64 [0, %start], [%next, %loop]",
        *(f" %a{k} = phi {kind} [zeroinitializer, %start], [%b{k}, %loop]" for k in every),
        *(f" %b{k} = call {kind} @llvm.fma.v{lanes}f32({kind} %a{k}, {half}, {half})" for k in every),
        " %next = add i64 %i, 1\n %more = icmp ult i64 %next, %n\n br i1 %more, label %loop, label %end",
        "end:",
        *(
            f" %s{k} = fadd {kind} {f'%s{k - 1}' if k else 'zeroinitializer'}, %b{k}"  # all are used
            for k in every
        ),
        f" %r = extractelement {kind} %s{CHAINS - 1}, i32 0\n ret float %r\n}}",
        f'attributes #0 = {{ "min-legal-vector-width"="{32 * lanes}" "prefer-vector-width"="{32 * lanes}" }}',
    ]
    return "\n".join(lines)
