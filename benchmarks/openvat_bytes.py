# SPDX-License-Identifier: MIT
"""How many bytes does a bake take beside OpenVAT's textures, at the same error between frames?

Of ten characters of many makers a clip each, fast turns among them. OpenVAT's form has 30 frames a second of
halves, positions and normals, as its addon writes it; the bake the lowest rate whose error is no larger.
Errors are those of what is drawn against the source clip, at frames and between them, after rounding. Bytes
are those that a graphics card holds; in parentheses files of OpenVAT, whose EXR is compressed by zlib, beside
the texels compressed by it.

    python benchmarks/openvat_bytes.py
"""

from __future__ import annotations

import sys
import tempfile
import warnings
import zlib
from pathlib import Path

import lissom
from _bench import Bench, require
from _machine import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from drawn_characters import DRAWN, drawn_subject

BAR = 0.1
RATE = 30
RATES = (5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60, 120)
TEXEL = 2 * 3 * 2  # position and normal of three halves each


def main(bench: Bench) -> None:
    require("OpenEXR")
    warnings.simplefilter("ignore")
    shares, files = [], []
    for name in list(DRAWN)[:2] if bench.quick else DRAWN:
        subject = drawn_subject(name)
        if subject is None:
            continue
        hero, clip, bake = subject
        with tempfile.TemporaryDirectory() as folder:
            report = bake.export("openvat", Path(folder) / "vat", source=hero)
        pictures = sum(size for path, size in report.files.items() if path.endswith(".exr"))
        frames = bake.clips[clip].frame_count - bake.clips[clip].loop
        theirs = bake.mesh.vertex_count * frames * TEXEL
        ours, rate = at_error(hero, clip, report.error.max_relative)
        error = ours.clips[clip].error.max_relative
        shares.append(ours.texels.nbytes / theirs)
        packed = len(zlib.compress(ours.texels.tobytes(), 9))
        files.append(packed / pictures)
        bench.note(
            f"{name:10}{bake.mesh.vertex_count:6} vertices: OpenVAT at {RATE} a second is off by "
            f"{report.error.max_relative:6.2%} in {theirs / 1e6:7.3f} MB ({pictures / 1e6:6.3f}); the "
            f"bake at {rate:3} by {error:6.2%} in {ours.texels.nbytes / 1e3:6.1f} kB ({packed / 1e3:6.1f}): "
            f"1/{1 / shares[-1]:.0f} (1/{1 / files[-1]:.0f})"
        )
    if not shares:
        bench.skip("not measured: no characters are here")
    bench.judge("largest share of OpenVAT's bytes", max(shares), BAR)
    bench.judge("largest share of OpenVAT's files", max(files), BAR)


def at_error(hero: lissom.Character, clip: str, error: float) -> tuple[lissom.PoseTexture, int]:
    """The bake of the lowest rate that is off by no more."""
    for rate in RATES:
        bake = lissom.bake(hero, clip, rate=rate)
        if bake.clips[clip].error.max_relative <= error:
            break
    return bake, rate


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
