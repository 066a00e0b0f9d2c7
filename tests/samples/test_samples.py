# SPDX-License-Identifier: MIT
"""The embedded characters: sound surfaces and weights, seamless loops, feet that stand where they stand."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lissom import samples, show_config
from lissom.samples._figure import dress
from lissom.samples._proportions import BUILDS as BUILDS_BY_NAME
from lissom.samples._shell import sparse_weights
from lissom.samples._skeleton import joint_positions

BUILDS = ("adult", "child", "giant")
LOOPS = ("idle", "walk", "run", "lean")
METHODS = ("linear", "dual_quat")
VERTEX_BUDGET = 12_000  # of the humanoid: a crowd draws it a thousand times

# A unit quaternion in float32 is off by a few roundings of 6e-8.
FLOAT32_SUM = 1e-6
# Some thirty shares of one vertex, each rounded once in double precision.
FLOAT64_SUM = 1e-12
# Surfaces are made exactly symmetric in float64; float32 rounds both sides alike.
SYMMETRY = 1e-7
SEAM = 1e-6  # metres and quaternion components
FOOT_SLIDE = 0.02  # metres, whatever the build; small feet slide less in proportion
GROUND_CLEARANCE = 0.01


@pytest.fixture(params=BUILDS)
def hero(request):
    return samples.humanoid(request.param)


@pytest.fixture(params=["twisted_bar", "two_bone_tube"])
def bar(request):
    return getattr(samples, request.param)()


def build_of(hero):
    return hero.name.removeprefix("humanoid_")


def leg_scale(hero):
    return standing_leg(hero) / standing_leg(samples.humanoid("adult"))


def standing_leg(hero):
    places = hero.skeleton.positions(hero.skeleton.rest)
    return places[hero.skeleton.index("UpperLeg.L"), 1] - places[hero.skeleton.index("Foot.L"), 1]


def foot_scale(hero):
    return sole_length(hero) / sole_length(samples.humanoid("adult"))


def sole_length(hero):
    return np.ptp(hero.mesh.positions[vertices_of(hero.mesh, "Soles"), 2])


def key_times(clip):
    return clip.start + np.arange(round(clip.duration * 30) + 1) / 30.0


def vertices_of(mesh, *names):
    return np.concatenate(
        [np.arange(len(mesh.positions))[part.vertices] for part in mesh.parts if part.name in names]
    )


def signed_volume(positions, triangles):
    a, b, c = np.moveaxis(positions[triangles].astype(np.float64), 1, 0)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


def open_edges(positions, triangles):
    """Directed edges without a partner the other way round, with vertices at the same place taken for one."""
    _, welded = np.unique(np.round(positions / 1e-6).astype(np.int64), axis=0, return_inverse=True)
    faces = welded.ravel()[triangles.astype(np.int64)]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    directed = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    key = directed[:, 0] * (welded.max() + 1) + directed[:, 1]
    reverse = directed[:, 1] * (welded.max() + 1) + directed[:, 0]
    values, counts = np.unique(key, return_counts=True)
    back, back_counts = np.unique(reverse, return_counts=True)
    assert np.array_equal(values, back)
    return int(np.sum(counts != back_counts))


# Surfaces


def test_humanoid_has_the_promised_detail(hero):
    assert 4_000 <= hero.mesh.vertex_count <= VERTEX_BUDGET
    assert len(hero.skeleton) >= 25
    assert hero.mesh.influence_count <= 4
    assert hero.repairs == ()
    for name in (
        "Pelvis",
        "Neck",
        "Head",
        "UpperArm.L",
        "LowerLeg.R",
        "Foot.L",
        "Toes.R",
        "Thumb1.L",
        "Index2.R",
    ):
        hero.skeleton.index(name)


def test_every_part_is_closed_and_faces_outwards(hero):
    mesh = hero.mesh
    for part in mesh.parts:
        triangles = mesh.triangles[part.triangles]
        assert open_edges(mesh.positions, triangles) == 0, part.name
        assert signed_volume(mesh.positions, triangles) > 0.0, part.name


def test_normals_are_unit_and_agree_with_the_triangles(hero):
    mesh = hero.mesh
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=-1), 1.0, atol=FLOAT32_SUM)
    a, b, c = np.moveaxis(mesh.positions[mesh.triangles].astype(np.float64), 1, 0)
    facing = np.cross(b - a, c - a)
    area = np.linalg.norm(facing, axis=-1)
    agreement = np.einsum("ij,ij->i", facing, mesh.normals[mesh.triangles].mean(axis=1)) / np.maximum(
        area, 1e-20
    )
    # By area: thin rims (lids, soles, brows) are shaded round, at an angle to their few small facets.
    assert np.sum(area[agreement > 0.7]) > 0.985 * area.sum()
    assert np.sum(area[agreement < 0.0]) < 0.001 * area.sum()


def test_parts_cover_the_mesh_in_order(hero):
    assert [part.name for part in hero.mesh.parts] == list(
        dict.fromkeys(part.name for part in hero.mesh.parts)
    )
    assert hero.mesh.parts[0].vertices.start == 0
    assert hero.mesh.parts[-1].vertices.stop == hero.mesh.vertex_count
    assert hero.mesh.parts[-1].triangles.stop == len(hero.mesh.triangles)
    for part in hero.mesh.parts:
        used = np.unique(hero.mesh.triangles[part.triangles])
        assert np.array_equal(used, np.arange(part.vertices.start, part.vertices.stop)), part.name


def test_figure_stands_on_the_ground_and_faces_forwards(hero):
    low, high = hero.mesh.bounds
    height = {"adult": 1.75, "child": 1.20, "giant": 2.60}[build_of(hero)]
    assert abs(low[1]) < 1e-3
    assert high[1] == pytest.approx(height, rel=0.02)
    places = hero.skeleton.positions(hero.skeleton.rest)
    toes, foot = (places[hero.skeleton.index(name)] for name in ("Toes.L", "Foot.L"))
    assert toes[2] > foot[2] + 0.05
    assert places[hero.skeleton.index("UpperArm.L"), 0] > 0.0


def test_builds_differ_in_proportion_and_not_only_in_scale():
    def ratios(hero):
        places = dict(zip(hero.skeleton.names, hero.skeleton.positions(hero.skeleton.rest), strict=False))
        height = hero.mesh.bounds[1, 1]
        arm = np.linalg.norm(places["LowerArm.L"] - places["UpperArm.L"]) + np.linalg.norm(
            places["Hand.L"] - places["LowerArm.L"]
        )
        head = hero.mesh.positions[vertices_of(hero.mesh, "Hair", "Lips", "Brows")]
        return {
            "head": np.ptp(head[:, 1]) / height,
            "leg": places["UpperLeg.L"][1] / height,
            "arm": arm / height,
            "shoulders": 2.0 * places["UpperArm.L"][0] / height,
        }

    adult, child, giant = (ratios(samples.humanoid(build)) for build in BUILDS)
    assert child["head"] > 1.3 * adult["head"] > 1.3 * giant["head"]
    assert child["leg"] < adult["leg"]
    assert child["arm"] < adult["arm"] < giant["arm"]
    assert child["shoulders"] < adult["shoulders"] < giant["shoulders"]


# Weights


def test_shares_are_whole_and_positive(hero):
    """As the anatomy deals them out: what a mesh keeps is normalised and could not tell."""
    build = BUILDS_BY_NAME[build_of(hero)]
    for shell in dress(build, joint_positions(build)):
        assert shell.weights.min() >= 0.0
        np.testing.assert_allclose(shell.weights.sum(axis=1), 1.0, atol=FLOAT64_SUM)


def dense_weights(hero):
    mesh = hero.mesh
    dense = np.zeros((mesh.vertex_count, len(hero.skeleton)))
    np.add.at(dense, (np.arange(mesh.vertex_count)[:, None], mesh.indices.astype(int)), mesh.weights)
    return dense


def test_mesh_and_weights_are_mirror_symmetric(hero):
    mesh, skeleton = hero.mesh, hero.skeleton
    swapped = [name[:-1] + {"L": "R", "R": "L"}[name[-1]] if "." in name else name for name in skeleton.names]
    other = [skeleton.index(name) for name in swapped]
    dense = dense_weights(hero)
    for part in mesh.parts:
        positions = mesh.positions[part.vertices].astype(np.float64)
        order = np.lexsort(np.round(positions / 1e-5).T)
        reflected = positions * [-1.0, 1.0, 1.0]
        partner = np.lexsort(np.round(reflected / 1e-5).T)
        np.testing.assert_allclose(positions[order], reflected[partner], atol=SYMMETRY, err_msg=part.name)
        rows = dense[part.vertices]
        np.testing.assert_allclose(rows[order], rows[partner][:, other], atol=1e-5, err_msg=part.name)


def test_limbs_move_nothing_across_the_body(hero):
    dense, x = dense_weights(hero), hero.mesh.positions[:, 0]
    left = [joint for joint, name in enumerate(hero.skeleton.names) if name.endswith(".L")]
    reach = 0.09 * hero.mesh.bounds[1, 1] / 1.75  # trousers and hem blend across the middle, weakly
    assert dense[x < -reach][:, left].max() == 0.0
    below = [hero.skeleton.index(name) for name in ("LowerLeg.L", "Foot.L", "Toes.L")]
    assert dense[x < 0.0][:, below].max() == 0.0
    arm = [hero.skeleton.index(name) for name in ("UpperArm.L", "LowerArm.L", "Hand.L")]
    trousers = vertices_of(hero.mesh, "Trousers", "Shoes", "Soles")
    assert dense[trousers][:, arm].max() == 0.0


def test_weights_fall_off_smoothly(hero):
    dense, mesh = dense_weights(hero), hero.mesh
    sweater = next(part for part in mesh.parts if part.name == "Sweater")
    triangles = mesh.triangles[sweater.triangles]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    length = np.linalg.norm(mesh.positions[edges[:, 0]] - mesh.positions[edges[:, 1]], axis=-1)
    jump = np.abs(dense[edges[:, 0]] - dense[edges[:, 1]]).max(axis=-1)
    # No steeper than from 0 to 1 within 2 cm on the adult, wherever on the body.
    slope = jump / length * hero.mesh.bounds[1, 1] / 1.75
    assert np.percentile(slope, 99.9) < 50.0


# Clips


@pytest.mark.parametrize("name", LOOPS)
def test_loops_have_no_seam(hero, name):
    clip = hero.clips[name]
    assert clip.loop
    poses = clip.sample(key_times(clip), loop=False)
    np.testing.assert_allclose(poses[0], poses[-1], atol=SEAM)
    # The turn from the last key but one, over the seam, to the second key is as even as anywhere else.
    velocity = np.diff(np.concatenate([poses, poses[1:2]]), axis=0)
    change = np.linalg.norm(np.diff(velocity, axis=0)[..., :7], axis=-1).max(axis=-1)
    assert change[-1] <= change[:-1].max() * 1.05 + SEAM


def test_clips_only_turn_joints_and_move_the_pelvis(hero):
    rest = hero.skeleton.rest
    for name, clip in hero.clips.items():
        poses = clip.sample(key_times(clip), loop=False)
        assert np.array_equal(poses[:, 1:, :3], np.broadcast_to(rest[1:, :3], poses[:, 1:, :3].shape)), name
        assert np.all(poses[..., 7:] == 1.0), name
        np.testing.assert_allclose(np.linalg.norm(poses[..., 3:7], axis=-1), 1.0, atol=FLOAT32_SUM)


def test_clips_have_the_promised_lengths():
    hero = samples.humanoid("adult")
    assert set(hero.clips) == {"idle", "walk", "run", "wave", "lean"}
    assert hero.clips["idle"].duration == pytest.approx(4.0)
    assert hero.clips["walk"].duration == pytest.approx(1.1, abs=0.05)
    assert hero.clips["run"].duration == pytest.approx(0.7, abs=0.05)
    assert not hero.clips["wave"].loop


def test_lean_is_an_additive_over_the_rest_pose(hero):
    clip = hero.clips["lean"]
    np.testing.assert_allclose(clip.sample(clip.start), hero.skeleton.rest, atol=SEAM)
    moved = np.any(np.abs(clip.sample(key_times(clip), loop=False) - hero.skeleton.rest) > SEAM, axis=(0, 2))
    assert {hero.skeleton.names[joint] for joint in np.flatnonzero(moved)} == {
        "Spine",
        "Chest",
        "UpperChest",
        "Neck",
        "Head",
    }


def test_wave_begins_and_ends_as_idle_begins(hero):
    wave, idle = hero.clips["wave"], hero.clips["idle"]
    np.testing.assert_allclose(wave.sample(wave.start), idle.sample(idle.start), atol=SEAM)
    np.testing.assert_allclose(wave.sample(wave.end, loop=False), idle.sample(idle.start), atol=SEAM)
    places = hero.skeleton.positions(wave.sample(0.5 * (wave.start + wave.end)))
    assert places[hero.skeleton.index("Hand.R"), 1] > places[hero.skeleton.index("Neck"), 1]
    assert places[hero.skeleton.index("Hand.L"), 1] < places[hero.skeleton.index("Spine"), 1]


def ground_contacts(hero, name, speed, contact):
    """How far each sole vertex slides during each contact, in metres: (contacts,)."""
    clip = hero.clips[name]
    times = np.linspace(clip.start, clip.start + 2.0 * clip.duration, 4 * round(clip.duration * 30) + 1)
    soles = vertices_of(hero.mesh, "Soles")
    places = hero.deform(clip.sample(times, loop=True))[:, soles].astype(np.float64)
    places[..., 2] += speed * (times - times[0])[:, None]  # seen from the ground
    down = places[..., 1] < contact
    slides = []
    for vertex in range(len(soles)):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], down[:, vertex].astype(int), [0]])))
        for first, stop in edges.reshape(-1, 2):
            track = places[first:stop, vertex][:, [0, 2]]
            slides.append(np.linalg.norm(track - track[0], axis=-1).max())
    return np.array(slides)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_standing_feet_do_not_slide(hero, name):
    speed = {"walk": samples.WALK_SPEED, "run": samples.RUN_SPEED}[name][build_of(hero)]
    slides = ground_contacts(hero, name, speed, contact=0.004 * leg_scale(hero))
    assert len(slides) > 100
    assert slides.max() < FOOT_SLIDE * min(1.0, foot_scale(hero))


@pytest.mark.parametrize("name", ["idle", "walk", "run", "wave"])
def test_feet_stay_above_the_ground_and_touch_it(hero, name):
    clip = hero.clips[name]
    soles = vertices_of(hero.mesh, "Soles", "Shoes")
    times = np.linspace(clip.start, clip.end, 4 * round(clip.duration * 30) + 1)
    heights = hero.deform(clip.sample(times))[:, soles, 1]
    assert heights.min() > -GROUND_CLEARANCE * leg_scale(hero)
    lowest = heights.min(axis=1)
    airborne = np.mean(lowest > 0.02 * leg_scale(hero))
    if name == "run":
        assert 0.1 < airborne < 0.6  # a run has a flight
    else:
        assert airborne == 0.0


@pytest.mark.parametrize("name", ["walk", "run"])
def test_knees_and_elbows_bend_the_right_way(hero, name):
    clip, skeleton = hero.clips[name], hero.skeleton
    places = skeleton.positions(clip.sample(key_times(clip), loop=False))
    for side in "LR":
        for upper, middle, lower, forwards in (
            ("UpperLeg", "LowerLeg", "Foot", 1.0),
            ("UpperArm", "LowerArm", "Hand", -1.0),
        ):
            a, b, c = (places[:, skeleton.index(f"{joint}.{side}")] for joint in (upper, middle, lower))
            axis = (c - a) / np.linalg.norm(c - a, axis=-1, keepdims=True)
            bulge = (b - a) - np.sum((b - a) * axis, axis=-1, keepdims=True) * axis
            bent = np.linalg.norm(bulge, axis=-1) > 0.01
            # The part of the bulge that is forwards of the line from end to end, seen square to it.
            ahead = np.array([0.0, 0.0, 1.0]) - axis[:, 2:] * axis
            assert np.all((forwards * np.sum(bulge * ahead, axis=-1))[bent] > 0.0), (middle, side)


@pytest.mark.parametrize("method", METHODS)
def test_every_clip_deforms_to_something_like_the_body(hero, method):
    for clip in hero.clips.values():
        verts = hero.deform(clip.sample(np.linspace(clip.start, clip.end, 9)), method=method)
        assert np.all(np.isfinite(verts))
        volume = [signed_volume(frame, hero.mesh.triangles) for frame in verts]
        np.testing.assert_allclose(volume, signed_volume(hero.mesh.positions, hero.mesh.triangles), rtol=0.08)


# Bars


def test_bars_are_closed(bar):
    mesh = bar.mesh
    assert mesh.vertex_count >= 1_000
    assert len(bar.skeleton) == 2
    assert [part.name for part in mesh.parts] == ["Light", "Dark"]
    assert open_edges(mesh.positions, mesh.triangles) == 0
    expected = {"twisted_bar": 4.0, "two_bone_tube": np.pi * 0.16 * 4.0}[bar.name]
    assert signed_volume(mesh.positions, mesh.triangles) == pytest.approx(expected, rel=0.01)
    np.testing.assert_allclose(mesh.bounds[:, 0], [0.0, 4.0], atol=1e-6)


def test_bar_weights_rise_linearly():
    bar = samples.twisted_bar()
    tip = dense_weights(bar)[:, 1]
    # Weights under a thousandth are dropped.
    expected = np.clip((bar.mesh.positions[:, 0] - 0.5) / 3.0, 0.0, 1.0)
    np.testing.assert_allclose(tip, expected, atol=1.1e-3)


def test_bars_loop_from_rest_to_rest(bar):
    assert set(bar.clips) == {"twist", "bend"}
    for clip in bar.clips.values():
        assert clip.loop
        assert clip.duration == pytest.approx(4.0)
        np.testing.assert_allclose(clip.sample(clip.start), bar.skeleton.rest, atol=SEAM)
        np.testing.assert_allclose(clip.sample(clip.end, loop=False), bar.skeleton.rest, atol=SEAM)


def test_twist_is_a_candy_wrapper_under_linear_and_not_under_dual_quat():
    bar = samples.twisted_bar()
    half_way = bar.clips["twist"].sample(2.0)
    middle = np.abs(bar.mesh.positions[:, 0] - 2.0) < 1e-6

    def radius(method):
        verts = bar.deform(half_way, method=method)[middle]
        return np.linalg.norm(verts[:, 1:], axis=-1)

    at_rest = np.linalg.norm(bar.mesh.positions[middle][:, 1:], axis=-1)
    # Two turns 179 degrees apart average to cos(89.5 degrees) of the radius.
    np.testing.assert_allclose(radius("linear"), at_rest * np.cos(np.radians(89.5)), atol=1e-4)
    np.testing.assert_allclose(radius("dual_quat"), at_rest, atol=1e-4)


# The package


def test_same_object_each_time():
    assert samples.humanoid("child") is samples.humanoid(build="child")
    assert samples.twisted_bar() is samples.twisted_bar()


def test_unknown_build_is_refused():
    with pytest.raises(ValueError, match=r"humanoid: build must be one of adult, child, giant, got 'dwarf'"):
        samples.humanoid("dwarf")


def test_rounding_of_other_processors_changes_no_influence():
    """Weights that are equal, or at the bound of what is kept, come out the same where each is off a bit."""
    rows = np.zeros((4, 7))
    rows[0, [5, 2, 3, 0]] = 0.25  # all equal: in the order of joints
    rows[1, 1:6] = 0.2  # five equal: none of the last two is larger
    rows[1, 6] = 0.9
    rows[2, :5] = 0.4, 0.3, 0.1505, 0.075, 0.074  # the fourth is more than the fifth by what is negligible
    rows[3, :5] = 0.3, 0.3, 0.2, 0.1, 0.1
    indices, weights = sparse_weights(rows)
    np.testing.assert_array_equal(indices[0], [0, 2, 3, 5])
    rng = np.random.default_rng(1)
    for _ in range(100):
        off = np.nextafter(rows, rows + rng.choice([-1.0, 1.0], rows.shape))
        found = sparse_weights(np.where(rows > 0, off, rows))
        np.testing.assert_array_equal(found[0], indices)
        assert found[1].tobytes() == weights.tobytes()


# SHA-256 of mesh and clips, the same on every processor: they change with the shapes and motions alone.
FROZEN = {
    "adult": "ee99bcec54089b6d22d9e99b431b5e37f2aedcc413bd54af7e5312d9e6436de4",
    "child": "98ab65f30937eeb125a9cc648b4cf4a310a15132de26944ebb90190b6409233c",
    "giant": "f8685880db1f859c84dcedf4c4b77e0a590f19f453dd721af74e2848b43fb911",
}


def test_other_processors_make_the_same_characters():
    """Their NumPy, its BLAS and the core round otherwise: here by the kernels of older ones."""
    code = (
        "import hashlib, json, lissom.samples as s; found = {}\n"
        "for build in ('adult', 'child', 'giant'):\n"
        "    h = s.humanoid(build); m, d = h.mesh, hashlib.sha256()\n"
        "    arrays = [m.positions, m.normals, m.triangles, m.indices, m.weights]\n"
        "    [d.update(a.tobytes()) for a in arrays + [c.keys for c in h.clips.values()]]\n"
        "    found[build] = d.hexdigest()\n"
        "print(json.dumps(found))"
    )
    older = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config("dicts")["SIMD Extensions"].get("found", ())),
        "OPENBLAS_CORETYPE": "Prescott" if platform.machine() in {"x86_64", "AMD64"} else "ARMV8",
        "LISSOM_ISA": show_config("dicts")["instruction_sets"][0],
    }
    for env in ({}, older):
        run = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | env, capture_output=True, text=True, check=True
        )
        assert json.loads(run.stdout) == FROZEN


@pytest.mark.tree
def test_the_page_of_platforms_shows_their_hashes():
    page = (Path(__file__).parents[2] / "docs" / "project" / "platforms.md").read_text("utf-8")
    assert [word for word in FROZEN.values() if f"`{word}`" not in page] == []
