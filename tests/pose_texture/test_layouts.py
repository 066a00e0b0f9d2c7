# SPDX-License-Identifier: MIT
"""Layouts of pose textures: rows and palettes against their float64 twins, what each holds and refuses."""

import numpy as np
import pytest

import bake_rigs
import lissom
from conftest import ASSETS, asset_files, asset_id
from layout_rigs import PARENTS, between, rig, stored
from lissom.pose_texture._layouts import LAYOUTS, Rig, Source, Texels
from reference import bake as bake_twin
from reference import layouts as twin

ROW_TOLERANCE = 4e-6  # float32 down four joints, of numbers up to 2 (times the root's scale)
PALETTE_TOLERANCE = 2e-5  # and the product with joint_from_bind, of numbers up to 4

AT_FRAMES = 2e-5  # of the size: float32 from the root down, and deforming

OTHERS = ("matrix", "quat_trans", "trs", "rotations")
KINDS = {
    "plain": OTHERS,
    "small": OTHERS,
    "large": OTHERS,
    "grown": ("matrix", "trs", "rotations"),
    "growing": ("matrix", "trs"),
    "stretched": ("matrix", "trs"),
    "vanishing": ("matrix", "trs"),
    "mirrored": ("matrix", "trs", "rotations"),
    "reflected": OTHERS,
    "wandering": ("matrix", "quat_trans", "trs"),
    "sheared": ("matrix",),
}
"""Rigs and what holds them."""
EACH = [(kind, layout) for kind, layouts in KINDS.items() for layout in layouts]


def of_rig(source, plan):
    bind = source.skin.joint_from_bind.astype(np.float64)
    constants = (PARENTS, plan.rig.local, plan.rig.moving) if plan.rig else ()
    return source.skin.joints, bind, *constants


@pytest.mark.parametrize(("kind", "layout"), EACH)
def test_rows_equal_the_twin(kind, layout):
    source = rig(kind)
    _, texels = stored(source, layout)
    bind = source.skin.joint_from_bind.astype(np.float64)
    for frame, pose in enumerate(source.poses.astype(np.float64)):
        expected = twin.encoded(layout, PARENTS, pose, source.skin.joints, bind)
        found = texels.array[frame]
        assert found.shape == expected.shape
        signed = twin.mixed(layout, found, expected, 1.0)  # a quaternion and its negative are one rotation
        size = np.abs(expected).max()
        np.testing.assert_allclose(found, signed, atol=ROW_TOLERANCE * max(size, 1.0), rtol=0)


@pytest.mark.parametrize(("kind", "layout"), EACH)
def test_palettes_between_frames_equal_the_twin(kind, layout):
    source = rig(kind)
    plan, texels = stored(source, layout)
    rng = np.random.default_rng(1)
    for frame, share in zip(range(8), rng.uniform(0, 1, 8).astype(np.float32), strict=True):
        a, b = texels.array[frame].astype(np.float64), texels.array[frame + 1]
        matrices, dual_quats = twin.palette(
            layout, twin.mixed(layout, a, b, float(share)), *of_rig(source, plan)
        )
        found = LAYOUTS[layout].palette(between(texels, frame, share), source.skin, plan.rig)
        size = max(1.0, np.abs(matrices).max())
        np.testing.assert_allclose(found.matrices[0], matrices, atol=PALETTE_TOLERANCE * size, rtol=0)
        if "dual_quat" in plan.methods:
            away = [twin.same_transform(x, y) for x, y in zip(found.dual_quats[0], dual_quats, strict=True)]
            assert max(away) < PALETTE_TOLERANCE


@pytest.mark.parametrize(("kind", "layout"), EACH)
def test_at_frames_the_palette_of_the_source_comes_back(kind, layout):
    source = rig(kind)
    plan, texels = stored(source, layout)
    every = np.arange(9, dtype=np.int32)
    read = LAYOUTS[layout].palette(
        texels.sample(every, every, np.zeros(9, np.float32)), source.skin, plan.rig
    )
    assert read.matrices.shape == (9, 7, 4, 4)
    assert len(read) == 7
    np.testing.assert_allclose(read.matrices, source.palette.matrices, atol=PALETTE_TOLERANCE)
    # A joint that mirrors, and is bound so, has a rigid palette whose rotation no product of rotations is.
    rigid = kind in ("plain", "small", "large", "wandering") or (kind, layout) == ("reflected", "quat_trans")
    assert plan.methods == (("linear", "dual_quat") if rigid and layout != "matrix" else ("linear",))
    if "dual_quat" in plan.methods:
        ours, theirs = read.dual_quats, source.palette.dual_quats
        sign = np.sign((ours[..., :4] * theirs[..., :4]).sum(axis=-1))[..., None]
        np.testing.assert_allclose(sign * ours, theirs, atol=PALETTE_TOLERANCE)
        np.testing.assert_array_equal(np.asarray(read), ours)
    else:
        with pytest.raises(
            ValueError, match=r"^SampledPalette.dual_quats: .*linear skinning alone; bake with"
        ):
            read.dual_quats  # noqa: B018
        np.testing.assert_array_equal(np.asarray(read), read.matrices)


def test_a_joint_that_vanishes_keeps_its_turn():
    """At scale zero a matrix has no rotation: its neighbours must not be blended with some other."""
    source = rig("vanishing", frames=9)
    plan, texels = stored(source, "trs")
    assert np.abs(source.model[4, 4, :3, :3]).max() < 1e-6
    found = LAYOUTS["trs"].palette(between(texels, 3, 0.5), source.skin, plan.rig).matrices[0]
    halfway = (source.poses[3] + source.poses[4] * [1, 1, 1, -1, -1, -1, -1, 1, 1, 1]) / 2
    halfway[:, 3:7] /= np.linalg.norm(halfway[:, 3:7], axis=1, keepdims=True)
    model = bake_twin.model_matrices(PARENTS, halfway.astype(np.float64))
    np.testing.assert_allclose(found[3], model[4] @ source.skin.joint_from_bind[3], atol=0.02)


@pytest.mark.parametrize("layout", OTHERS)
def test_quaternions_are_aligned_along_time(layout):
    _, texels = stored(rig("plain"), layout)
    at = twin.QUAT[layout]
    if at is None:
        assert texels.form.quat == -1
        return
    quats = texels.array[:, : texels.form.signed_rows, at]
    assert (quats[0, :, 3] >= 0).all()
    assert ((quats[1:] * quats[:-1]).sum(axis=-1) > 0).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sign_of_a_quaternion_changes_nothing_that_is_stored(layout):
    kind, source = LAYOUTS[layout], rig("plain")
    plan = kind.plan(source)
    rows = kind.rows(source, plan)
    form = kind.form(plan.texels, rows.shape[1])
    flipped = rows.copy()
    if form.quat >= 0:
        flipped[1::2, : form.signed_rows, 4 * form.quat : 4 * (form.quat + form.flipped)] *= -1
        assert not np.array_equal(flipped, rows)
    np.testing.assert_array_equal(
        Texels.of(flipped, form, np.float32).array, Texels.of(rows, form, np.float32).array
    )
    assert form.flipped == (2 if layout == "dual_quat" else 0 if layout == "matrix" else 1)


# Of a place a unit away, turned by the square of a rotation whose length is good to 2e-7 (core/simd/lanes.h).
TURNED = 4e-7


def test_a_translation_is_no_quaternion():
    """The last row of rotations and the second texel of quat_trans keep their signs."""
    poses = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], np.float32), (3, 2, 1))
    poses[:, 0, 0] = -1, 1, -1
    bones = lissom.Skeleton(["a", "b"], [-1, 0], poses[0])
    source = Source(
        bones, lissom.Skin([0, 1], np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))), poses, "x", 1
    )
    for layout, row, texel in (("rotations", 2, 0), ("quat_trans", 0, 1), ("trs", 0, 0)):
        _, texels = stored(source, layout)
        np.testing.assert_allclose(texels.array[:, row, texel, 0], [-1, 1, -1], rtol=0, atol=TURNED)
        read = between(texels, 0, 0.25).reshape(texels.array.shape[1:])[row, texel, 0]
        assert read == pytest.approx(-0.5, rel=0, abs=TURNED)


REFUSED = [
    (
        "quat_trans",
        "growing",
        r"holds no scale: clip 'wave' scales 'joint[34]' by up to 1 more or less than 1 \(frame 8\); take "
        "layout='dual_quat' or 'matrix'",
    ),
    (
        "trs",
        "sheared",
        r"holds no shear: clip 'wave' shears 'joint4' by 0\.\d+ of its scale \(frame \d\)",
    ),
    (
        "rotations",
        "growing",
        r"no scale frame by frame: clip 'wave' scales 'joint3' from \(1, 1, 1\) to \(2, 2, 2\) \(frame 8\)",
    ),
    ("rotations", "sheared", r"one scale for all axes: 'joint3' has \(1, 1\.3, 1\)"),
    (
        "rotations",
        "wandering",
        r"one joint, here 'joint0': clip 'wave' also moves 'joint2' in its parent, by 0\.035 of the size",
    ),
]


@pytest.mark.parametrize(("layout", "kind", "sentence"), REFUSED)
def test_what_a_layout_cannot_hold_is_refused_with_the_figure(layout, kind, sentence):
    with pytest.raises(ValueError, match=f"^layout '{layout}' .*{sentence}"):
        LAYOUTS[layout].plan(rig(kind))


def test_a_plan_grows_from_clip_to_clip():
    layout = LAYOUTS["rotations"]
    still, moving, other = rig("plain"), rig("plain"), rig("plain")
    still.poses[:, 0, :3] = still.poses[0, 0, :3]
    plan = layout.plan(still)
    assert (plan.settled, plan.rig.moving) == (False, 0)
    other.poses[:, 0, :3] = still.poses[0, 0, :3]
    other.poses[:, 3, :3] += np.linspace(0, 0.1, 9)[:, None]
    wider = layout.plan(other, plan)
    assert (wider.settled, wider.rig.moving) == (True, 3)
    assert layout.plan(still, wider) is wider
    with pytest.raises(ValueError, match=r"here 'joint3': clip 'wave' also moves 'joint0' .* 0\.1[78]\d* of"):
        layout.plan(moving, wider)
    moved = rig("plain")
    moved.poses[:, 4, :3] += 0.25  # constant within the clip, but not over all clips
    plan = layout.plan(moving)
    with pytest.raises(ValueError, match="also moves 'joint4'"):
        layout.plan(moved, plan)
    grown = rig("grown")
    with pytest.raises(ValueError, match=r"scales 'joint3' from \(1, 1, 1\) to \(1\.5, 1\.5, 1\.5\)"):
        layout.plan(grown, plan)
    rigid = LAYOUTS["trs"].plan(moving)
    assert rigid.methods == ("linear", "dual_quat")
    narrower = LAYOUTS["trs"].plan(grown, rigid)
    assert narrower.methods == ("linear",)
    assert LAYOUTS["trs"].plan(moving, narrower) is narrower


@pytest.mark.parametrize(("kind", "drift", "holds"), [("small", 0.015, True), ("large", 5e-5, False)])
def test_how_far_a_joint_moves_is_measured_in_model_units(kind, drift, holds):
    source = rig(kind)
    source.poses[:, 4, 0] += np.linspace(0, drift, 9)
    if holds:  # 1.5e-4 m of 2 m
        LAYOUTS["rotations"].plan(source)
        return
    with pytest.raises(ValueError, match=r"also moves 'joint4' in its parent, by 0\.0025 of the size"):
        LAYOUTS["rotations"].plan(source)


def test_a_rig_that_makes_no_sense_is_refused():
    local = np.zeros((2, 10))
    with pytest.raises(
        ValueError, match=r"^Rig: parents must have shape \(J,\) and local \(J, 10\), got \(1,\)"
    ):
        Rig([-1], local)
    for parents, got in (([-1, 1], "parent 1 of 1"), ([-2, 0], "parent -2 of 0")):
        with pytest.raises(ValueError, match=f"^Rig: parents must come before their children, got {got}"):
            Rig(parents, local)
    with pytest.raises(ValueError, match=r"^Rig: moving must be one of 2 joints, got 2"):
        Rig([-1, 0], local, 2)
    with pytest.raises(ValueError, match=r"^Rig: local must be finite"):
        Rig([-1, 0], local * np.nan)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bytes_hold_every_layout(layout):
    source = rig("plain")
    plan, exact = stored(source, layout)
    _, texels = stored(source, layout, np.uint8)
    assert texels.ranges.shape == (1, *exact.array.shape[1:3], 2, 4)
    low, step = np.moveaxis(texels.ranges[0].astype(np.float64), -2, 0)
    decoded = low + step * texels.array
    assert (np.abs(decoded - exact.array) <= 0.501 * step + 1e-6).all()
    every = np.arange(9, dtype=np.int32)
    read = texels.sample(every, every, np.zeros(9, np.float32))
    np.testing.assert_allclose(read.reshape(decoded.shape), decoded, atol=2e-7 * np.abs(decoded).max())
    palette = LAYOUTS[layout].palette(read, source.skin, plan.rig)
    np.testing.assert_allclose(palette.matrices, source.palette.matrices, atol=0.03)
    assert np.abs(palette.matrices - source.palette.matrices).max() > 1e-4  # bytes they are


@pytest.mark.parametrize("layout", OTHERS)
def test_a_cross_fade_is_mixed_before_the_palette_is_made(layout):
    bones = bake_rigs.skeleton()
    clips = [bake_rigs.waving_clip(bones), bake_rigs.waving_clip(bones, name="other", duration=0.5)]
    bake = lissom.bake(bake_rigs.character(*clips), layout=layout, dtype="float32")
    rng = np.random.default_rng(2)
    first = bake.clips["other"].first_frame
    here, there = rng.uniform(0, first - 1.01, 12), rng.uniform(first, first + 29, 12)
    fades = rng.uniform(0, 1, 12).astype(np.float32)
    found = bake.sample_frames(here, next_coordinates=there, fades=fades)
    for i in range(12):
        texels = []
        for place in (here[i], there[i]):
            frame = int(place)
            share = float(np.float32(place - frame))
            texels.append(
                twin.mixed(layout, bake.texels[frame].astype(np.float64), bake.texels[frame + 1], share)
            )
        constants = (bake.rig.parents, bake.rig.local, bake.rig.moving) if bake.rig else ()
        matrices, _ = twin.palette(
            layout,
            twin.mixed(layout, *texels, float(fades[i])),
            bake.skin.joints,
            bake.skin.joint_from_bind.astype(np.float64),
            *constants,
        )
        np.testing.assert_allclose(found.matrices[i], matrices, atol=PALETTE_TOLERANCE)


# --- bakes ---


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bake_of_every_layout(layout, dtype, tmp_path):
    character = bake_rigs.character()
    bake = lissom.bake(character, layout=layout, dtype=dtype)
    assert bake.layout == layout
    assert bake.texels.dtype == dtype
    assert bake.joints == character.skeleton.names
    assert bake.palette_row_count == len(bake.skin) == 5
    assert (bake.rig is not None) == (layout in ("trs", "rotations"))
    limit = {"float32": 2e-3, "float16": 3e-3, "uint8": 0.03}[dtype]
    assert bake.report.max_relative < limit
    times = np.linspace(0, 0.9, 7)
    for method in bake.methods:
        expected = character.deform(character.clips["wave"].sample(times), method)
        found = lissom.deform(bake.mesh, bake.sample("wave", times), method)
        np.testing.assert_allclose(found, expected, atol=limit * bake.size)
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    back = lissom.load_bake(path)
    np.testing.assert_array_equal(back.texels, bake.texels)
    np.testing.assert_array_equal(back.sample("wave", times).matrices, bake.sample("wave", times).matrices)
    assert back.methods == bake.methods
    again = tmp_path / "again.safetensors"
    back.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_a_method_that_the_layout_cannot_drive_is_refused():
    character = bake_rigs.character(method="dual_quat")
    with pytest.raises(
        ValueError, match=r"^bake: method 'dual_quat' cannot be driven by the layout 'matrix' of"
    ):
        lissom.bake(character, layout="matrix")
    assert lissom.bake(character, layout="matrix", method="linear").methods == ("linear",)
    growing = bake_rigs.waving_clip(bake_rigs.skeleton(), scale=np.full((5, 3), 1.2))
    with pytest.raises(ValueError, match=r"^bake: layout 'quat_trans' holds no scale: clip 'wave' scales"):
        lissom.bake(bake_rigs.character(growing), layout="quat_trans")


def test_what_moves_in_a_later_clip_is_stored_in_all():
    bones = bake_rigs.skeleton()
    poses = bake_rigs.waving_poses(bones)
    poses[:, :, :3] = bones.rest[:, :3]
    still = lissom.Clip.from_poses(bones, np.linspace(0, 1, 31), poses, name="still")
    poses = poses.copy()
    poses[:, 2, 1] += 0.1 * np.sin(np.linspace(0, np.pi, 31))
    stretching = lissom.Clip.from_poses(bones, np.linspace(0, 1, 31), poses, name="stretching")
    bake = lissom.bake(bake_rigs.character(still, stretching), layout="rotations", dtype="float32")
    assert bake.rig.moving == 2
    np.testing.assert_allclose(bake.row("still", 5, 0.5).values[0, :3], bones.rest[2, :3])
    assert bake.row("stretching", 5, 0.5).values[0, 1] == pytest.approx(bones.rest[2, 1] + 0.1)
    assert bake.report.max_relative < 2e-4


# --- real characters ---

SKIN_LAYOUTS = ("dual_quat", "matrix", "quat_trans")
CHOSEN = {
    "khronos/Fox.glb": (*SKIN_LAYOUTS, "trs", "rotations"),
    "quaternius/fish_pack/Dolphin.glb": (*SKIN_LAYOUTS, "trs", "rotations"),  # root scale 100
    "quaternius/cute_fish_pack/Goldfish.glb": (*SKIN_LAYOUTS, "trs", "rotations"),  # two skins
    "sharpgltf/InfiniteSkinnedTentacle.glb": (*SKIN_LAYOUTS, "trs", "rotations"),  # 84, scales down to 0.04
    "quaternius/dinosaurs_pack/Trex.glb": (*SKIN_LAYOUTS, "trs"),  # root scale 300, bound at 1/3
    "quaternius/cyberpunk_pack/Character.glb": (*SKIN_LAYOUTS, "trs"),  # four skins
    "quaternius/platformer_game_pack/Character.glb": (*SKIN_LAYOUTS, "trs"),  # four skins
    "kaykit/Med_General.glb": ("dual_quat", "matrix", "trs"),  # joints scaled to zero
    "godot/player.glb": ("dual_quat", "matrix", "trs"),
    "quaternius/cyberpunk_pack/Enemy_2Legs.glb": ("dual_quat", "matrix", "trs"),  # an eye that shuts
    "quaternius/cute_fish_pack/Piranha.glb": ("dual_quat", "matrix"),  # shear
}
"""What holds them, in all their clips."""


def chosen_files():
    return [
        file for file in asset_files("characters") if asset_id(file).removeprefix("characters/") in CHOSEN
    ]


@pytest.mark.parametrize("file", chosen_files(), ids=asset_id)
def test_real_characters(file):
    character = lissom.load(file)
    options = {"dtype": "float32", "rate": 10, "method": "linear", "include_mesh": False}
    for layout in LAYOUTS:
        if layout not in CHOSEN[file.relative_to(ASSETS / "characters").as_posix()]:
            with pytest.raises(ValueError, match=rf"^bake: layout '{layout}' .*; take layout='dual_quat'"):
                lissom.bake(character, layout=layout, **options)
            continue
        bake = lissom.bake(character, layout=layout, **options)
        for name, clip in bake.clips.items():
            frames = np.arange(clip.first_frame, clip.first_frame + clip.frame_count)
            times = clip.start + np.arange(clip.frame_count) / (clip.rate or 1.0)
            poses = character.clips[name].sample(times, loop=False)
            assert clip.error.at_frames.max < AT_FRAMES * character.size, f"{layout} {name}"
            for method in bake.methods if character.mesh else ():
                moved = lissom.deform(character.mesh, bake.sample_frames(frames), method)
                away = np.linalg.norm(moved - character.deform(poses, method), axis=-1).max()
                assert away < AT_FRAMES * character.size, f"{layout} {name} {method}: {away / character.size}"


def test_parents_of_rows_pass_over_joints_without_one():
    skin = lissom.Skin([3, 1, 3, 4], np.tile(np.eye(4), (4, 1, 1)))
    parents = np.array([-1, 0, 1, 2, 3])
    assert LAYOUTS["dual_quat"].row_parents(skin, parents).tolist() == [1, -1, 1, 0]
    assert LAYOUTS["trs"].row_parents(skin, parents) is parents
