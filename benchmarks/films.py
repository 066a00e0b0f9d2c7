# SPDX-License-Identifier: MIT
"""What does a film of 10 s cost: seconds, bytes and memory of each format?

The built-in humanoid's idle clip, 300 pictures of 960 x 540 at 30 a second, 4 samples, on its ground. Each
format is written by a process of its own, once, from `lissom.render` to the file on the disk; its peak is
what the process needed beyond what it held before. Drawing alone, and a list of all pictures saved as a
WebP, as films were before they drew as they write, stand beside them. Asserted: files have all pictures.

    python benchmarks/films.py [--seconds 10] [--rate 30] [--pixels 960 540]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import lissom
from _bench import Bench

CLIP = "idle"
FORMATS = {
    "drawing alone": ("", None),
    "lissom, mp4 (vp9)": (".mp4", None),
    "lissom, webm (av1)": (".webm", "av1"),
    "lissom, mp4 (h264)": (".mp4", "h264"),
    "lissom, webp": (".webp", None),
    "lissom, gif": (".gif", None),
    "lissom, apng": (".png", None),
    "all pictures kept, webp": (".webp", "kept"),
}
MEGABYTE = 1e6


def main(bench: Bench) -> None:
    seconds = 0.2 if bench.quick else bench.options.seconds
    found: dict[str, dict[str, float]] = {}
    for name, (suffix, codec) in FORMATS.items():
        if suffix in (".mp4", ".webm") and find_spec("av") is None:
            bench.missing("av")
            continue
        job = [suffix, codec, seconds, bench.options.rate, *bench.options.pixels]
        command = [sys.executable, __file__, "--one", json.dumps(job)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found[name] = json.loads(done.stdout)
    title = f"{seconds:g} s, {bench.options.pixels[0]} x {bench.options.pixels[1]}"
    for name, told in found.items():
        bench.number(f"{name}: time", told["seconds"], "s", table=title)
        if told["bytes"]:
            bench.number(f"{name}: file", told["bytes"] / MEGABYTE, "MB", table=title)
        bench.number(f"{name}: peak of memory", told["peak"] / MEGABYTE, "MB", table=title)


def one(
    suffix: str, codec: str | None, seconds: float, rate: float, width: int, height: int
) -> dict[str, Any]:
    """Make one film; return its seconds, bytes and the memory that it took."""
    hero = lissom.samples.humanoid()
    lissom.render(hero, width=width, height=height)  # the driver, once
    import PIL.Image

    PIL.Image.init()
    before, begin = _peak(), time.perf_counter()
    film = lissom.render(hero, clip=CLIP, seconds=seconds, rate=rate, width=width, height=height)
    size = 0
    with tempfile.TemporaryDirectory() as folder:
        if codec == "kept":
            film, codec = lissom.Animation(list(film), rate), None
        if suffix:
            path = film.save(Path(folder) / f"film{suffix}", codec=codec)
            size = path.stat().st_size
        else:
            for _ in film:
                pass
        took = time.perf_counter() - begin
        if suffix:
            assert _count(path) == len(film)
    return {"seconds": took, "bytes": size, "peak": _peak() - before}


def _peak() -> int:
    """The most memory that this process had, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _count(path: Path) -> int:
    if path.suffix in (".mp4", ".webm"):
        import av

        with av.open(str(path)) as container:
            return sum(1 for _ in container.demux(video=0)) - 1  # the last one flushes
    import PIL.Image

    with PIL.Image.open(path) as image:
        return image.n_frames


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        sys.stdout.write(json.dumps(one(*json.loads(sys.argv[2]))))
        raise SystemExit
    bench = Bench(__file__, __doc__)
    bench.argument("--seconds", type=float, default=10.0)
    bench.argument("--rate", type=float, default=30.0)
    bench.argument("--pixels", type=int, nargs=2, default=(960, 540))
    bench.run(main)
