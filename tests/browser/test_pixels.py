# SPDX-License-Identifier: MIT
"""The browser draws what moderngl draws: same size, same camera, same moment."""

import numpy as np
import pytest

import bake_rigs
import lissom
from browser.conftest import each_renderer
from glazed import glazed
from lissom._formats.png import png_bytes
from lissom.gpu import Crowd, plain_instances
from self_lit import self_lit

pytestmark = pytest.mark.gl

LEVELS = 8
# Shares of pixels that may be further off. On one driver, what ANGLE makes of the same text, and positions in
# whole steps of the box, leave up to 0.017 % (13 of 76 800). SwiftShader places samples of edges otherwise:
# 0.23 %.
MOST = {"llvmpipe": 0.0005, "SwiftShader": 0.01}
LAYOUTS = ("dual_quat", "matrix", "quat_trans", "trs", "rotations")


def drawn(stage, bake, clip, time, method, camera=None):
    instances = plain_instances(1)
    instances["clip"] = list(bake.clips).index(clip)
    instances["time"] = time
    low = float(np.median([clip.bounds[0, 1] for clip in bake.clips.values()]))
    with Crowd(bake, 1, stage=stage, instances=instances, method=method, levels=()) as crowd:
        camera = camera or stage.camera(crowd)
        return stage.render(crowd, camera=camera, ground_height=low).array, camera


def share_off(ours, theirs):
    assert ours.shape == theirs.shape
    assert len(np.unique(theirs.reshape(-1, 3), axis=0)) > 100  # there is something on it
    return np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > LEVELS)


def check(tab, stage, renderer, bake, clip, time, method):
    wanted, camera = drawn(stage, bake, clip, time, method)
    tab.set(clip=clip, time=time, method=method, playing=False, fade=0, camera=vars(camera))
    share = share_off(tab.pixels(), wanted)
    print(f"{share:.4%} of pixels over {LEVELS} levels")
    assert share <= MOST[renderer]


@each_renderer
def test_both_methods_are_drawn_as_on_the_desktop(tab, stage, renderer):
    bake = lissom.bake(lissom.samples.humanoid(), ["run", "wave"])
    tab.open(bake.show())
    check(tab, stage, renderer, bake, "run", 0.17, "linear")
    check(tab, stage, renderer, bake, "wave", 1.3, "dual_quat")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_and_bytes_are_played(tab, stage, renderer, layout):
    tube = lissom.samples.two_bone_tube()
    for dtype in ("float16", "uint8"):
        bake = lissom.bake(tube, layout=layout, dtype=dtype)
        tab.open(bake.show())
        for method in bake.methods:
            check(tab, stage, renderer, bake, "twist", 0.61, method)


@pytest.mark.parametrize("scale", [1.2, (1.0, 1.3, 0.8)], ids=["even", "uneven"])
def test_scale_and_pictures_are_drawn(tab, stage, renderer, scale):
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones, name="grow", scale=np.broadcast_to(scale, (5, 3)))
    bake = lissom.bake(bake_rigs.character(clip))
    assert bake.texels.shape[2] == (3 if np.ndim(scale) == 0 else 5)
    tab.open(bake.show())
    for method in bake.methods:
        check(tab, stage, renderer, bake, "grow", 0.4, method)


def test_vertex_colours_are_drawn(tab, stage, renderer):
    tube = lissom.samples.two_bone_tube()
    mesh = tube.mesh
    share = (mesh.positions[:, :1] / 4).clip(0, 1)
    colors = share * [1, 0.1, 0, 1] + (1 - share) * [0, 0.2, 1, 1]
    painted = lissom.Mesh(
        mesh.positions, mesh.triangles, mesh.indices, mesh.weights, normals=mesh.normals, colors=colors
    )
    bake = lissom.bake(lissom.Character("painted", tube.skeleton, painted, tube.skin, tube.clips), "twist")
    tab.open(bake.show())
    check(tab, stage, renderer, bake, "twist", 0.61, "dual_quat")
    plain = lissom.bake(tube, "twist")
    assert share_off(tab.pixels(), drawn(stage, plain, "twist", 0.61, "dual_quat")[0]) > 0.02  # they are seen


def test_parts_that_are_unlit_or_emit_light_are_drawn(tab, stage, renderer):
    bake = lissom.bake(self_lit("twist", whole=False), "twist")
    tab.open(bake.show())
    check(tab, stage, renderer, bake, "twist", 0.61, "dual_quat")
    plain = lissom.bake(lissom.samples.two_bone_tube(), "twist")
    assert share_off(tab.pixels(), drawn(stage, plain, "twist", 0.61, "dual_quat")[0]) > 0.02  # it is seen


@pytest.mark.parametrize(
    "look",
    [
        {},
        {"double_sided": True},
        {"pictured": True, "alpha": 1.0},
        {"pictured": True, "alpha": 1.0, "mode": "mask"},
        {"mode": "mask", "alpha": 0.4},
    ],
    ids=str,
)
def test_parts_that_are_masked_or_blended_are_drawn(tab, stage, renderer, look):
    """By the crowd's own passes: the same instances from far to near, and parts in the order of the file."""
    bake = lissom.bake(glazed("twist", **look), "twist")
    tab.open(bake.show())
    check(tab, stage, renderer, bake, "twist", 0.61, "dual_quat")
    plain = lissom.bake(glazed("twist", mode="opaque"), "twist")
    assert share_off(tab.pixels(), drawn(stage, plain, "twist", 0.61, "dual_quat")[0]) > 0.02  # it is seen
    whole = tab.page.evaluate(
        "() => player.pixels().data.filter((_, i) => i % 4 === 3).every((a) => a === 255)"
    )
    assert whole, "the canvas is opaque"


def test_textures_are_drawn(tab, stage, renderer):
    tube = lissom.samples.two_bone_tube()
    rng = np.random.default_rng(2)
    picture = lissom.Texture(png_bytes(rng.integers(0, 256, (16, 16, 3), np.uint8)), "image/png")
    mesh = tube.mesh
    angle = np.arctan2(mesh.positions[:, 2], mesh.positions[:, 0]) / (2 * np.pi)
    uvs = np.stack([angle, mesh.positions[:, 1]], axis=1)
    parts = [lissom.Part("", slice(0, mesh.vertex_count), slice(0, mesh.triangle_count), texture=picture)]
    painted = lissom.Mesh(
        mesh.positions, mesh.triangles, mesh.indices, mesh.weights, normals=mesh.normals, uvs=uvs, parts=parts
    )
    bake = lissom.bake(lissom.Character("painted", tube.skeleton, painted, tube.skin, tube.clips), "twist")
    tab.open(bake.show())
    check(tab, stage, renderer, bake, "twist", 0.61, "dual_quat")
    plain = lissom.bake(tube, "twist")
    assert share_off(tab.pixels(), drawn(stage, plain, "twist", 0.61, "dual_quat")[0]) > 0.02  # it is seen
