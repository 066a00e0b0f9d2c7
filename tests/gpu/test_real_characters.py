# SPDX-License-Identifier: MIT
"""Real characters and the samples: the same vertices as on the CPU, and pictures that show them whole."""

from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from gpu.rigs import on_cpu, twin
from lissom._rig.mesh import Mesh
from lissom.gpu import SkinnedModel
from lissom.skinning import METHODS
from reference import skinning

POSITIONS = 2e-6  # of the character's size: float32 on both sides
NORMALS = 3e-5

FILES = [
    "khronos/Fox.glb",  # textured, 100 units long
    "khronos/CesiumMan.glb",  # textured
    "kaykit/Knight.glb",  # rigid props
    "quaternius/animals_pack/Wolf.glb",  # skin matrices carry a factor 100
    "quaternius/cyberpunk_pack/Enemy_Large_Gun.glb",  # non-uniform scale, axis ratios up to 26
    "quaternius/cyberpunk_pack/Enemy_2Legs.glb",  # scale through zero
    "raylib/robot.glb",
    "gdquest/bee_bot.glb",
]
SAMPLES = ["humanoid", "twisted_bar", "two_bone_tube"]


@pytest.fixture(params=[*FILES, *SAMPLES])
def character(request):
    if request.param in SAMPLES:
        return getattr(lissom.samples, request.param)()
    return lissom.load(request.getfixturevalue("asset")(f"characters/{request.param}"))


def mid_clip_poses(character, most=4):
    clips = [clip for _, clip in zip(range(most), character.clips.values(), strict=False)]
    return [clip.sample(clip.start + 0.4 * clip.duration) for clip in clips] or [character.skeleton.rest]


@pytest.mark.parametrize("method", METHODS)
def test_vertices_equal_the_core_and_the_twin(stage, character, method):
    mesh = character.mesh
    normals = mesh.normals if mesh.normals is not None else mesh.computed_normals()
    half = 0.5 * (mesh.positions + mesh.positions.mean(axis=0))  # centres: any will do here
    blend = np.linspace(0, 1, len(mesh.positions), dtype=np.float32)
    with SkinnedModel(character, stage=stage, method=method, blend=blend, centers=half) as model:
        for pose in mid_clip_poses(character):
            palette = character.skin.palette(character.skeleton.model_matrices(pose))
            got, got_normals = model.deformed(palette)
            bind = mesh.positions, normals, mesh.indices, mesh.weights
            aids = {"centers": half.astype(np.float32), "blend": blend}
            answers = [twin(method, bind, palette, **aids), on_cpu(method, mesh, palette, **aids)]
            stable = np.ones(len(got), bool)
            if method not in ("linear", "quat_trans"):
                stable = ~skinning.unstable(mesh.indices, mesh.weights, palette.dual_quats)
            assert stable.mean() > 0.99
            for positions, turned in answers:
                assert np.abs(got - positions)[stable].max() < POSITIONS * character.size
                shaped = stable & (np.linalg.norm(turned, axis=1) > 0.5)
                assert np.quantile(np.abs(got_normals - turned)[shaped], 0.999) < NORMALS


@pytest.mark.parametrize("name", ["twisted_bar", "humanoid"])
def test_every_method_draws_what_the_core_deforms(stage, name):
    character = getattr(lissom.samples, name)()
    mesh = character.mesh
    palette = character.skin.palette(character.skeleton.model_matrices(mid_clip_poses(character)[-1]))
    aids = {"centers": 0.5 * mesh.positions, "blend": np.full(len(mesh.positions), 0.5, np.float32)}
    unmoved = SimpleNamespace(matrices=np.eye(4)[None], dual_quats=None, scales=None)
    with SkinnedModel(character, stage=stage, **aids) as model:
        model.set_palette(palette)
        camera = stage.camera(model)
        pictures = {}
        for method in METHODS:
            model.method = method
            pictures[method] = stage.render(model, camera=camera).array.astype(int)
            positions, normals = on_cpu(method, mesh, palette, **aids)
            posed = Mesh(positions, mesh.triangles, normals=normals, uvs=mesh.uvs, parts=mesh.parts)
            with SkinnedModel(posed, stage=stage) as still:
                still.set_palette(unmoved)
                expected = stage.render(still, camera=camera).array
            assert (
                np.mean(np.abs(pictures[method] - expected).max(axis=2) > 2) < 1e-3
            )  # at edges, by rounding
    assert (pictures["linear"] != pictures["dual_quat"]).any()


def test_the_picture_shows_it_whole_on_the_ground(context, character):
    poses = mid_clip_poses(character, most=1)
    picture = lissom.render(character, poses[0], width=240, height=135).array.astype(int)
    bare = lissom.render(character, poses[0], width=240, height=135, ground=False).array.astype(int)
    covered = (np.abs(bare - bare[0, 0]) > 6).any(axis=2)
    rows, columns = np.nonzero(covered)
    assert 0 < rows.min() < rows.max() < 134
    assert 0 < columns.min() < columns.max() < 239
    assert rows.max() - rows.min() > 100 or columns.max() - columns.min() > 180  # fills the picture
    shaded = covered & (np.abs(picture - bare).max(axis=2) > 30)
    assert shaded.mean() < 0.01  # the ground does not hide it
    assert picture[covered].std() > 10  # lit, not flat
