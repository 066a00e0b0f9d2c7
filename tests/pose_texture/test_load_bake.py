# SPDX-License-Identifier: MIT
"""Bakes whose arrays are views of a mapped file: used, saved again, replaced, cut off, and not verified."""

import random

import numpy as np
import pytest

import lissom
from lissom._formats import safetensors
from lissom.testing import assert_bakes_close, assert_pictures_close, assert_vertices_close


@pytest.fixture(scope="module")
def walk():
    bake = lissom.bake(lissom.samples.humanoid(), ["walk"], rate=240)
    assert bake.texels.nbytes > safetensors.LEAST_MAPPED
    return bake


@pytest.fixture
def path(walk, tmp_path):
    path = tmp_path / "walk.safetensors"
    walk.save(path)
    return path


@pytest.mark.parametrize("verify", [True, False])
def test_a_loaded_bake_is_used_and_saved_as_the_one_in_memory(walk, path, verify):
    loaded = lissom.load_bake(path, verify=verify)
    assert not loaded.texels.flags.writeable
    assert not loaded.texels.flags.owndata
    assert_bakes_close(loaded, walk, level="bytes", rotation=0.0, share=0.0, scale=0.0)
    pose = loaded.sample("walk", 0.3)
    moved, expected = (lissom.deform(bake.mesh, pose, "linear") for bake in (loaded, walk))
    assert_vertices_close(moved, expected, share=0.0, of=walk)
    np.testing.assert_array_equal(loaded.pages(), walk.pages())


@pytest.mark.gl
def test_a_crowd_draws_a_mapped_bake_alike(walk, path):
    pictures = []
    for bake in (walk, lissom.load_bake(path)):
        with lissom.gpu.Stage(64, 48) as stage, lissom.gpu.Crowd(bake, 5, stage=stage, seed=1) as crowd:
            pictures.append(np.asarray(stage.render(crowd)))
    assert_pictures_close(*pictures, share=0.0, levels=0)


def test_saving_over_the_mapped_file_keeps_its_bytes_and_the_arrays(walk, path):
    before = path.read_bytes()
    loaded = lissom.load_bake(path)
    loaded.save(path)
    assert path.read_bytes() == before
    np.testing.assert_array_equal(loaded.texels, walk.texels)


def test_a_file_that_is_replaced_leaves_the_loaded_bake_as_it_was(walk, path):
    loaded = lissom.load_bake(path, verify=False)  # nothing of its texels has been read yet
    lissom.bake(lissom.samples.twisted_bar()).save(path)
    np.testing.assert_array_equal(loaded.texels, walk.texels)
    assert "twist" in lissom.load_bake(path).clips


def test_only_a_verified_load_notices_a_changed_texel(walk, path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"^load_bake: .*walk\.safetensors is damaged: its checksum"):
        lissom.load_bake(path)
    assert lissom.load_bake(path, verify=False).clips.keys() == walk.clips.keys()


@pytest.mark.parametrize("verify", [True, False])
def test_truncations_are_refused(path, verify):
    data = path.read_bytes()
    lengths = {*range(64), *random.Random(0).sample(range(len(data)), 200), len(data) - 1}
    for length in lengths:
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"walk\.safetensors: a safetensors file must "):
            lissom.load_bake(path, verify=verify)
