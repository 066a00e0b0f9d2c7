# SPDX-License-Identifier: MIT
"""Read bombs, each in a forked process; print a line of JSON for each: bytes, growth, processor time.

Usage: python measure_bombs.py FOLDER SIZE NAME ...
"""

import contextlib
import gc
import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np
from PIL import Image

import lissom
from bombs import BOMBS
from gltf_files import arm
from lissom._formats.budget import COMPRESSED
from lissom._jobs import key, manifest, records
from lissom.cli import job_file

GOOD_BVH = (
    b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n"
)


def picture(path: Path) -> int:
    """Decode a picture; return the bytes of the pixels that it declares, four each."""
    return lissom.Texture(path.read_bytes(), "", "bomb").decode().nbytes


READERS = {
    "load": lissom.load,
    "compressed": lissom.load,
    "strict": lambda path: lissom.load(path, strict=True),
    "bake": lissom.load_bake,
    "picture": picture,
    "amass": lissom.load_amass,
    "hints": lambda path: lissom.roles(lissom.samples.humanoid(), path),
    "job": lambda path: job_file.read(path, None, lissom.BakeJob),
    "records": lambda path: records.decoded(path, manifest._Manifest),
    "companions": key.companions,
}

# How many times bytes of a file count, by how it is read.
COUNTED = {"compressed": COMPRESSED}


def read_everything_once(folder: Path) -> None:
    """Import and allocate what any file needs."""
    for data in (arm().glb(), GOOD_BVH):
        lissom.load(data, strict=True)
    lissom.bake(lissom.samples.twisted_bar(), rate=5).save(folder / "good.safetensors")
    lissom.load_bake(folder / "good.safetensors")
    lissom.Picture(np.zeros((4, 4, 3), np.uint8)).save(folder / "good.png")
    picture(folder / "good.png")
    for kind in ("JPEG", "WEBP", "AVIF"):
        Image.new("RGB", (4, 4)).save(folder / "good.picture", kind)
        picture(folder / "good.picture")
    lissom.roles(lissom.samples.humanoid())
    arrays = {"poses": np.ones((2, 66)), "trans": np.ones((2, 3)), "mocap_framerate": 1.0}
    np.savez_compressed(folder / "good.npz", **arrays)
    lissom.load_amass(folder / "good.npz")
    for name in ("bad.toml", "bakes.json", "bad.gltf"):
        (folder / name).write_text("{")
    with contextlib.suppress(ValueError):
        job_file.read(folder / "bad.toml", folder, lissom.BakeJob)
    records.decoded(folder / "bakes.json", manifest._Manifest)
    key.companions(folder / "bad.gltf")


def peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("there is no VmHWM")


def processor_seconds() -> float:
    """Return what this process and its children have used; a machine that stalls makes no reader slow."""
    return sum(os.times()[:4])


def read(name: str, path: Path) -> dict[str, object]:
    reader = READERS[BOMBS[name][0]]
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before, started, declared = peak(), processor_seconds(), 0
    try:
        result = reader(path)
        outcome = "read"
        declared = result if reader is picture else 0
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
        if isinstance(error, (MemoryError, RecursionError)):
            traceback.print_exc()
    seconds, growth = processor_seconds() - started, peak() - before
    files = [one for one in path.parent.iterdir() if one.is_file()]
    size = sum(one.stat().st_size for one in files) + declared
    size *= COUNTED.get(BOMBS[name][0], 1)
    return {"name": name, "bytes": size, "growth": growth, "seconds": seconds, "outcome": outcome}


def main() -> None:
    base, size = Path(sys.argv[1]), int(sys.argv[2])
    read_everything_once(base)
    for number, name in enumerate(sys.argv[3:]):
        folder = base / str(number)
        folder.mkdir()
        # Made in a process of its own, too, which leaves this one as small as it was.
        if not os.fork():
            BOMBS[name][1](folder, size)
            os._exit(0)
        assert os.wait()[1] == 0, name
        (path,) = (one for one in folder.iterdir() if one.stem in ("bomb", "bakes"))
        gc.collect()
        sys.stdout.flush()
        if not os.fork():
            print(json.dumps(read(name, path)), flush=True)
            os._exit(0)
        assert os.wait()[1] == 0, name
        for one in sorted(folder.rglob("*"), reverse=True):
            one.rmdir() if one.is_dir() else one.unlink()


if __name__ == "__main__":
    main()
