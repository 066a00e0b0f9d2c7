# SPDX-License-Identifier: MIT
"""The malformed and odd files of other projects: a character or a GltfError, in time, within memory."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lissom
from conftest import HAS_ALL, asset_files, asset_id, each_asset, not_committed
from lissom.errors import GltfError

FILES = asset_files("robustness")
KHRONOS = [path for path in FILES if "gltf-validator" in path.parts]
# Folders of the validator's tests that concern what is read: meshes, skins, clips, and what holds them.
READ = {
    *(
        "accessor",
        "accessor_data",
        "animation",
        "animation_data",
        "asset",
        "buffer",
        "buffer_view",
        "glb",
        "json",
    ),
    *("mesh", "mesh_data", "node", "root", "scene", "skin"),
}
LOAD_SECONDS = 1.0


def verdict(path: Path) -> set[str]:
    """Codes of the errors that Khronos' validator finds."""
    report = json.loads(path.with_name(f"{path.name}.report.json").read_text())
    return {one["code"] for one in report["issues"]["messages"] if one["severity"] == 0}


def is_read(path: Path) -> bool:
    return "base" in path.parts and path.parent.name in READ


@pytest.mark.parametrize("path", each_asset(FILES, "robustness"), ids=asset_id)
@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_a_character_or_one_clear_error(path: Path, strict: bool) -> None:
    start = time.thread_time()
    character = refusal = None
    try:
        character = lissom.load(path, strict=strict)
    except GltfError as error:
        refusal = error
    if character is None:
        assert refusal is not None
        assert refusal.code.replace("_", "").isalnum()
        assert refusal.path == path
        assert refusal.message
    else:
        for clip in character.clips.values():
            clip.sample(clip.start)
        if character.mesh is not None:
            character.deform(character.skeleton.rest)
    assert time.thread_time() - start < LOAD_SECONDS


@pytest.mark.parametrize("path", each_asset(KHRONOS, "robustness"), ids=asset_id)
def test_khronos_verdict(path: Path) -> None:
    errors = verdict(path)
    if not errors:
        lissom.load(path)
        if is_read(path):
            lissom.load(path, strict=True)
    elif is_read(path):
        with pytest.raises(GltfError) as caught:
            lissom.load(path, strict=True)
        assert caught.value.code in errors


_MEMORY = """
import gc, resource, sys
import lissom
from lissom.errors import GltfError
from pathlib import Path

def peak():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024

lissom.load(sys.argv[1])  # imports, and the allocator's first pages
for name in sys.argv[2:]:
    data = Path(name)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = peak()
    try:
        character = lissom.load(data)
    except GltfError:
        character = None
    print(peak() - before, name)
    character = None
    gc.collect()
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="/proc is read for the peak memory")
def test_memory_stays_within_the_promise(asset, tmp_path: Path) -> None:
    """Peak growth of at most 8 x the file and its companions + 64 MiB, for hostile and for large files."""
    hostile = tmp_path / "hostile.gltf"
    nodes = ",".join(["{}"] * 300_000)
    hostile.write_text('{"asset":{"version":"2.0"},"nodes":[' + nodes + "]}")
    large = sorted(asset_files("characters"), key=lambda path: path.stat().st_size)[-6:]
    paths = [hostile, *large, *FILES]
    small = asset("characters/raylib/greenman_hat.glb")
    command = [sys.executable, "-c", _MEMORY, str(small), *map(str, paths)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = output.splitlines()
    assert len(lines) == len(paths)
    for line in lines:
        growth, name = line.split(" ", 1)
        folder = Path(name).parent
        companions = [one for one in folder.iterdir() if one.suffix in {".bin", ".png", ".jpg"}]
        size = sum(one.stat().st_size for one in (Path(name), *companions))
        assert int(growth) <= 8 * size + (64 << 20), line


@pytest.mark.skipif(not HAS_ALL, reason=not_committed("robustness"))
def test_the_corpus_is_where_it_is_looked_for() -> None:
    read = [path for path in KHRONOS if is_read(path)]
    assert len(FILES) > 350
    assert sum(not verdict(path) for path in KHRONOS) == 88
    assert sum(bool(verdict(path)) for path in read) == 109
