# SPDX-License-Identifier: MIT
"""OpenVAT's own shader, as it is in its repository, plays the form "openvat" in Godot."""

import shutil

import numpy as np
import pytest

from drawn_characters import DRAWN, MOST, drawn_error, drawn_subject, drawn_times, drawn_told
from godot_engine import OPENVAT, needs_godot, needs_openvat, probe, vertices
from reference.openvat_player import OpenVatPlayer

pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")
pytestmark = [needs_godot, needs_openvat]

# Of the size: the shader leaves the filter on, and float32 misses middles of texels by a few 1e-4 of a texel.
ROUNDING = 1e-4
WHOLE = 5  # the frame of the picture


def texels_of(player, uv2):
    """Rows and columns of the first frame's texels."""
    height, width = player.pixels.shape[:2]
    return np.floor(uv2[:, 1] * height).astype(int), np.floor(uv2[:, 0] * width).astype(int)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """All characters, which one start of Godot plays."""
    folder = tmp_path_factory.mktemp("openvat")
    jobs, told = [], {}
    for name in DRAWN:
        subject = drawn_subject(name)
        if subject is None:
            continue
        hero, clip, bake = subject
        report = bake.export("openvat", folder / name, source=hero)
        (root,) = [path for path in (folder / name).iterdir() if path.is_dir()]
        player = OpenVatPlayer(root)
        times = drawn_times(report, bake, clip)
        one = bake.clips[clip]
        last = player.frame_count if one.loop else player.frame_count - 1
        frames = [(time - one.start) / one.duration * last for time in times]
        told[name] = hero, clip, report, times, frames, player, len(jobs)
        span = float(2 * np.abs(one.bounds).max())
        job = {"folder": f"{name}/{root.name}", "name": player.name, "frames": frames}
        jobs.append(job | {"low": -span, "span": 2 * span})
        if name == "humanoid":
            height, width = player.pixels.shape[:2]
            twin = np.zeros((height, width, 3), np.float32)
            twin[texels_of(player, player.uv2)] = player.vertices(WHOLE)
            (folder / "twin.bin").write_bytes(twin.tobytes())
            jobs[-1] |= {"picture": WHOLE, "twin": "twin.bin", "texels": [width, height]}
    shutil.copy(OPENVAT, folder)
    probe(folder, jobs, script="openvat.gd")
    return folder, told


@pytest.mark.parametrize("name", DRAWN)
def test_vertices_are_those_of_the_twin_and_as_wrong_as_stated(drawn, name, record_property):
    folder, told = drawn
    if name not in told:
        pytest.skip("this character is not among the assets here")
    hero, clip, report, times, frames, player, number = told[name]
    parts, said = vertices(folder, number)  # Godot leaves out what a surface does not use: by their texels
    number_of = np.full(player.pixels.shape[:2], -1)
    number_of[texels_of(player, player.uv2)] = np.arange(len(player.uv2))
    which = number_of[texels_of(player, np.array(said["texels"]))]
    assert set(which) == set(np.unique(hero.mesh.triangles))
    found = np.concatenate(parts, axis=1)
    wanted = np.stack([player.vertices(frame)[which] for frame in frames])
    print(f"{name}: {np.abs(found - wanted).max() / hero.size:.1e} of the size from the twin")
    np.testing.assert_allclose(found, wanted, atol=ROUNDING * hero.size)
    worst = drawn_error(hero, clip, times, found, which)
    record_property("drawn", drawn_told("OpenVAT in Godot", name, worst, report, hero))
    assert 0.9 * report.error.max <= worst <= MOST * report.error.max


def test_the_picture_is_that_of_the_twin(drawn):
    from PIL import Image

    own, twin = (
        np.asarray(Image.open(drawn[0] / f"{name}.png").convert("L")) < 128 for name in ("own", "twin")
    )
    assert 0.03 < own.mean() < 0.5  # somebody is there
    assert np.mean(own != twin) < 1e-3
