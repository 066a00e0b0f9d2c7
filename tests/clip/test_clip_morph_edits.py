# SPDX-License-Identifier: MIT
"""What edits do to weights of morph targets, beyond the laws that test_clip_compositions tries on all."""

from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from clip_laws import inner_times
from conftest import asset
from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, STEP, WEIGHT
from lissom.clip._tracks import Track, packed
from morphed_characters import faced, with_morphs
from random_rigs import random_clip, random_poses, random_skeleton
from short_clips import skeleton_of

NAMES = ["face/smile", "face/blink.L", "face/blink.R", "teeth/smile"]
T = np.linspace(0, 2, 61)


def face(*tracks: tuple[int, int, object, object], dtype: type = np.float32, **options) -> Clip:
    """A clip of tracks of weights: morph target, interpolation, times, values."""
    entries = [
        Track(morph, WEIGHT, interpolation, np.asarray(times, float), np.asarray(values, float))
        for morph, interpolation, times, values in tracks
    ]
    options = {"morph_names": NAMES} | options
    return Clip("face", skeleton_of(), *packed(entries, np.dtype(dtype)), **options)


def column(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


def wave(phase: float = 0.0) -> np.ndarray:
    return 0.5 + 0.5 * np.sin(np.pi * T + phase)[:, None]


# Mirroring.


def test_a_wink_changes_sides() -> None:
    clip = face((1, LINEAR, [0, 1], column(0, 1)), (0, LINEAR, [0, 1], column(0.2, 0.3)))
    mirrored = clip.mirrored()
    np.testing.assert_array_equal(mirrored.morphs(T)[:, [0, 2, 1, 3]], clip.morphs(T))
    np.testing.assert_array_equal(mirrored.mirrored().morphs(T), clip.morphs(T))
    other = clip.mirrored(morph_pairs={"face/smile": "teeth/smile"})
    np.testing.assert_array_equal(other.morphs(T)[:, [3, 1, 2, 0]], clip.morphs(T))


def test_defaults_change_sides_where_they_differ() -> None:
    clip = face((0, LINEAR, [0, 1], column(0, 1)), morph_defaults=[0, 0.25, 0.75, 0.5])
    mirrored = clip.mirrored()
    np.testing.assert_array_equal(mirrored.morphs(T)[:, [0, 2, 1, 3]], clip.morphs(T))
    np.testing.assert_array_equal(mirrored.mirrored().morphs(T), clip.morphs(T))


@pytest.mark.parametrize(
    ("one", "other"),
    [  # as faces of others have them
        ("h_expressions.LsmileOpen_h", "h_expressions.RsmileOpen_h"),
        ("h_expressions.LeyeClose_h", "h_expressions.ReyeClose_h"),
        ("h_expressions.LLbrowUp_h", "h_expressions.RRbrowUp_h"),
        ("h_teeth.LLL_In_tg_h", "h_teeth.RRR_In_tg_h"),
        ("h_teeth.t_Ljaw_h", "h_teeth.t_Rjaw_h"),
        ("Lblink", "Rblink"),
        ("face/Lblink", "face/Rblink"),
    ],
)
def test_sides_that_join_their_words_are_found(one: str, other: str) -> None:
    names = [one, "h_teeth.KG_h", "face/Lip", other]
    clip = face((0, LINEAR, [0, 1], column(0, 1)), morph_names=names)
    mirrored = clip.mirrored()
    assert mirrored.morphs(1).tolist() == [0, 0, 0, 1]
    assert mirrored.mirrored().morphs(1).tolist() == [1, 0, 0, 0]


def test_a_face_of_others_has_all_its_sides() -> None:
    face = lissom.load(asset("wild/morph/valid/Black_F_3_Busi.glb"))
    names = [name.rpartition(".")[2].removesuffix("_h") for name in face.mesh.morphs.names]
    keys = np.arange(1.0, len(names) + 1)[None]
    clip = Clip.from_poses(
        face.skeleton, [0], face.skeleton.rest[None], morphs=keys, morph_names=face.mesh.morphs
    )
    mirrored = dict(zip(names, clip.mirrored({}).morphs(0).astype(int) - 1, strict=True))
    others = {name: names[other] for name, other in mirrored.items() if names[other] != name}
    assert len(others) == 52
    assert others["LsmileOpen"] == "RsmileOpen"
    assert others["RRbrowDown"] == "LLbrowDown"
    assert others["CurlLeft_Out_tg"] == "CurlRight_Out_tg"
    assert {(other, name) for name, other in others.items()} == set(others.items())


def test_rows_of_brows_keep_their_place() -> None:
    names = ["LLbrowUp", "LbrowUp", "RbrowUp", "RRbrowUp"]
    clip = face(*((i, STEP, [0], column(i + 1)) for i in range(4)), morph_names=names)
    assert clip.mirrored().morphs(0).tolist() == [4, 3, 2, 1]


def test_a_side_that_moves_without_its_partner_is_told() -> None:
    names = ["face/smile.L", "face/smile.R", "face/winkLeft", "face/upright", "face/Laugh"]
    tracks = [(morph, LINEAR, [0, 1], column(0, 1)) for morph in range(5)]
    told = (
        r"^Clip\.mirrored: no morph target is by its name the other side of 'face/winkLeft', which keeps its "
        r"weights; pass morph_pairs=\{'left target': 'right target', \.\.\.\}$"
    )
    with pytest.warns(UserWarning, match=told) as caught:
        face(*tracks, morph_names=names).mirrored()
    assert caught[0].filename == __file__
    names[3] = "face/brow_r"
    with pytest.warns(UserWarning, match=r"'face/winkLeft', 'face/brow_r', which keep their weights"):
        face(*tracks, morph_names=names).mirrored()
    # Nothing is wrong where it does not move, or the caller has said what swaps.
    face(tracks[0], morph_names=names).mirrored()
    face(*tracks, morph_names=names).mirrored(morph_pairs={})


def test_a_bare_name_pairs_the_targets_of_all_its_nodes() -> None:
    names = ["face/Key 1", "face/Key 2", "teeth/Key 2", "teeth/Key 1", "tongue/out"]
    clip = face((0, STEP, [0], column(1)), (2, STEP, [0], column(2)), morph_names=names)
    mirrored = clip.mirrored(morph_pairs={"Key 1": "Key 2"})
    assert mirrored.morphs(0).tolist() == [0, 1, 0, 2, 0]
    mirrored = clip.mirrored(morph_pairs={"face/Key 1": "Key 2"})  # the one of its node
    assert mirrored.morphs(0).tolist() == [0, 1, 2, 0, 0]
    mirrored = clip.mirrored(morph_pairs={"out": "face/Key 1"})
    assert mirrored.morphs(0).tolist() == [0, 0, 2, 0, 1]


def test_bare_names_without_partners_on_their_nodes_are_refused() -> None:
    clip = face((0, STEP, [0], column(1)))
    told = (
        r"Clip\.mirrored: morph_pairs: 'smile' must have its partner on each node that has it, got none for "
        r"'teeth/smile'; pass names in full"
    )
    for pairs in ({"smile": "blink.L"}, {"blink.L": "smile"}):
        with pytest.raises(ValueError, match=told):
            clip.mirrored(morph_pairs=pairs)
    with pytest.raises(
        ValueError, match=r"morph_pairs: no morph target is named 'smil'; did you mean 'smile'"
    ):
        clip.mirrored(morph_pairs={"smil": "blink.L"})
    with pytest.raises(
        TypeError, match=r"Clip\.mirrored: morph_pairs must map names to names, got int in it"
    ):
        clip.mirrored(morph_pairs={"blink.L": 3})


def test_wrong_pairs_of_morph_targets_are_refused() -> None:
    clip = face((1, LINEAR, [0, 1], column(0, 1)))
    with pytest.raises(TypeError, match=r"Clip\.mirrored: morph_pairs must map names to names, got list"):
        clip.mirrored({}, morph_pairs=["a"])
    with pytest.raises(ValueError, match=r"Clip\.mirrored: morph_pairs: no morph target is named 'face/blnk"):
        clip.mirrored({}, morph_pairs={"face/blink.L": "face/blnk.R"})
    pairs = {"face/blink.L": "face/blink.R", "face/smile": "face/blink.R"}
    with pytest.raises(ValueError, match=r"Clip\.mirrored: 'face/blink\.R' must have one partner"):
        clip.mirrored({}, morph_pairs=pairs)


# Binding.


def other(*names: str, defaults: list[float] | None = None) -> SimpleNamespace:
    """What `Morphs` are to `bind`: names and defaults."""
    return SimpleNamespace(names=names, defaults=np.zeros(len(names)) if defaults is None else defaults)


def test_full_names_come_before_bare_ones() -> None:
    clip = face(*((morph, LINEAR, [0, 1], column(0, morph + 1)) for morph in range(4)))
    morphs = other("teeth/smile", "head/blink.L", "head/frown", "hair/blink.L", defaults=[0, 0, 0.5, 0])
    bound = clip.bind(skeleton_of(), morphs=morphs)
    assert bound.morph_names == morphs.names
    # The smile of teeth is that of teeth; the blink of the face goes to both nodes that blink.
    assert bound.morphs(1).tolist() == [4, 2, 0.5, 2]
    binding = bound.binding
    assert binding.matched_morphs == (
        ("face/blink.L", "head/blink.L"),
        ("face/blink.L", "hair/blink.L"),
        ("teeth/smile", "teeth/smile"),
    )
    assert binding.unmatched_morphs == ("face/smile", "face/blink.R")
    assert binding.unmoved_morphs == ("head/frown",)
    assert "3 morph targets matched" in str(binding)
    assert "2 morph targets of the clip without partner, dropped: face/smile, face/blink.R" in str(binding)
    assert "1 morph targets that nothing moves: head/frown" in str(binding)


def test_a_bare_name_is_a_name() -> None:
    clip = face((0, LINEAR, [0, 1], column(0, 1)))
    assert clip.bind(skeleton_of(), morphs=["blink", "smile"]).morphs(1).tolist() == [0, 1]
    assert clip.bind(skeleton_of(), morphs=["x/y/smile"]).morphs(1).tolist() == [1]
    kept = clip.bind(skeleton_of())
    assert kept.morph_names == clip.morph_names
    np.testing.assert_array_equal(kept.morphs(T), clip.morphs(T))
    assert kept.binding.matched_morphs == ()


def test_a_clip_that_moves_nothing_there_is_refused_or_says_so() -> None:
    clip = face((0, LINEAR, [0, 1], column(0, 1)))
    with pytest.raises(ValueError, match=r"Clip\.bind: morphs: none that clip 'face' moves \('face/smile'"):
        clip.bind(skeleton_of(), morphs=["frown", "blink"])
    body = Track(0, ROTATION, LINEAR, np.array([0.0, 3]), np.array([[0.0, 0, 0, 1], [1, 0, 0, 0]]))
    smile = Track(0, WEIGHT, LINEAR, np.array([0.0, 5]), column(0, 1))
    both = Clip("both", skeleton_of(), *packed([body, smile], np.dtype(np.float32)), morph_names=NAMES)
    bound = both.bind(skeleton_of(), morphs=["frown"])
    assert bound.binding.unmatched_morphs == ("face/smile",)
    assert (bound.end, len(bound.weight_tracks)) == (5, 0)


# Joining.


def test_clips_of_other_morph_targets_do_not_join() -> None:
    clip = face((0, LINEAR, [0, 1], column(0, 1)))
    others = face((0, LINEAR, [0, 1], column(0, 1)), morph_names=["face/frown", *NAMES[1:]])
    message = (
        r"Clip\.concatenated: morph targets must be the same, or none, got 4 targets of 'face' and 4 others "
        r"of 'face', such as 'face/frown', which one of them lacks; Clip\.bind with morphs= binds them by "
        r"name"
    )
    with pytest.raises(ValueError, match=message):
        clip.concatenated(others)
    swapped = face((3, LINEAR, [0, 1], column(0, 1)), morph_names=NAMES[::-1])
    with pytest.raises(ValueError, match=r"in another order"):
        clip.concatenated(swapped)
    same = swapped.bind(skeleton_of(), morphs=NAMES)
    assert clip.concatenated(same).morphs([0.5, 1.5]).tolist() == [[0.5, 0, 0, 0], [0.5, 0, 0, 0]]


def test_a_clip_without_morph_targets_shows_their_defaults() -> None:
    rng = np.random.default_rng(2)
    body = Clip.from_poses(skeleton_of(), [0, 1], random_poses(rng, 2, 1))
    clip = face((0, LINEAR, [0, 1], column(0.5, 1)), morph_defaults=[0.1, 0.2, 0.3, 0.4])
    for joined, at in ((clip.concatenated(body), 1.5), (body.concatenated(clip), 0.5)):
        assert joined.morph_names == tuple(NAMES)
        np.testing.assert_allclose(joined.morphs(at), [0.1, 0.2, 0.3, 0.4], atol=1e-7)
    np.testing.assert_allclose(body.concatenated(clip).morphs(1.5), [0.75, 0.2, 0.3, 0.4], atol=1e-6)


def test_a_cross_fade_blends_weights() -> None:
    low = face((0, LINEAR, [0, 2], column(0, 0)), (1, LINEAR, [0, 2], column(0, 1)))
    high = face((0, LINEAR, [0, 2], column(1, 1)), (1, LINEAR, [0, 2], column(0, 1)))
    joined = low.concatenated(high, blend=1.0)
    assert joined.duration == 3
    assert joined.morphs([0.5, 1.5, 2.5])[:, 0] == pytest.approx([0, 0.5, 1], abs=1e-6)
    assert joined.morphs(1.25)[0] == pytest.approx(3 * 0.25**2 - 2 * 0.25**3, abs=1e-3)
    # Both move: (1 - w) times the one, w times the other.
    assert joined.morphs(1.5)[1] == pytest.approx(0.5 * 0.75 + 0.5 * 0.25, abs=1e-6)


# Loops.


def test_a_face_that_does_not_return_is_no_loop() -> None:
    rest = np.tile(skeleton_of().rest, (3, 1, 1))
    for last, loops in ((0.0, True), (0.009, True), (0.02, False)):
        clip = Clip.from_poses(skeleton_of(), [0, 1, 2], rest, morphs={"smile": [0, 1, last]})
        assert clip.loop is loops


@pytest.mark.parametrize("interpolation", [STEP, LINEAR, CUBICSPLINE])
def test_closing_removes_the_seam_of_weights(interpolation: int) -> None:
    rng = np.random.default_rng(interpolation)
    shape = (5, 3, 1) if interpolation == CUBICSPLINE else (5, 1)
    clip = face((1, interpolation, np.arange(5) / 2, rng.normal(size=shape)))
    closed = clip.closed_loop(over=1.0)
    assert closed.loop is True
    assert closed.morphs(2.0, loop=False) == pytest.approx(closed.morphs(0.0, loop=False), abs=1e-6)
    before = np.linspace(0, 0.99, 30)
    np.testing.assert_allclose(closed.morphs(before, loop=False), clip.morphs(before, loop=False), atol=1e-6)
    # Where joints are chosen, weights stay.
    body = clip._edited().closed_loop(joints=0)
    np.testing.assert_array_equal(body.morphs(T, loop=False), clip.morphs(T, loop=False))


# Differences.


def test_differences_of_weights_add() -> None:
    rng = np.random.default_rng(4)
    names = [f"n/{i}" for i in range(6)]
    for seed in range(8):
        clip = random_clip(
            np.random.default_rng(seed), random_skeleton(rng, 3), np.float64, morph_names=names
        )
        times = inner_times(clip, 30)
        own = clip.morphs(times, loop=False)
        given = rng.normal(size=6)
        for added, base in (
            (lissom.make_additive(clip), clip.morphs(clip.start, loop=False)),
            (lissom.make_additive(clip, clip.skeleton.rest), clip.morph_defaults),
            (lissom.make_additive(clip, clip.skeleton.rest, morphs=given), given),
            (lissom.make_additive(clip, clip), clip.morphs(clip.start, loop=False)),
        ):
            assert added.additive
            np.testing.assert_allclose(base + added.morphs(times, loop=False), own, atol=1e-6)


def test_wrong_references_of_weights_are_refused() -> None:
    clip = face((0, LINEAR, [0, 1], column(0, 1)))
    with pytest.raises(ValueError, match=r"make_additive: morphs must have shape \(4,\), got \(2,\)"):
        lissom.make_additive(clip, morphs=[0, 1])
    with pytest.raises(ValueError, match=r"make_additive: morphs must be finite, got nan"):
        lissom.make_additive(clip, morphs=[0, 1, np.nan, 2])
    with pytest.raises(TypeError, match=r"make_additive: morphs must be left out where poses are passed"):
        lissom.make_additive(skeleton_of().rest, skeleton_of().rest, morphs=[0])
    other_face = face((0, LINEAR, [0, 1], column(0, 1)), morph_names=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"make_additive: morph targets must be the same, or none"):
        lissom.make_additive(clip, other_face)


# Fewer keys, other keys.


def test_frames_hold_weights() -> None:
    clip = face((1, LINEAR, T, wave()), (2, STEP, [0, 1, 2], column(0, 1, 0)), (0, LINEAR, [0.5], column(2)))
    frames = clip.resampled(60)
    assert frames.uniform
    at_frames = np.linspace(0, 2, 121)
    np.testing.assert_allclose(
        frames.morphs(at_frames, loop=False), clip.morphs(at_frames, loop=False), atol=1e-6
    )
    coarse = clip.resampled(10)
    measured = np.abs(coarse.morphs(T, loop=False) - clip.morphs(T, loop=False))[:, 1].max()
    assert coarse.report.max_weight == pytest.approx(measured, rel=0.3)
    assert "weights of morph targets differ by up to" in str(coarse.report)
    bounded = face((1, LINEAR, T, wave())).resampled(max_error=0.01)
    assert bounded.report.max_weight <= 0.01
    assert bounded.report.rate < 30
    with pytest.raises(lissom.ResampleError, match=r"and 0\.\d+ of a weight"):
        face((1, LINEAR, [0, 0.001, 0.0011, 2], column(0, 0, 1, 0))).resampled(max_error=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_of_weights_are_left_out_within_the_bound(dtype: type) -> None:
    clip = face(
        (0, LINEAR, T, wave()),
        (1, LINEAR, T, np.full((61, 1), 0.3)),  # one key
        (2, LINEAR, T, 1e-4 * wave()),  # hardly leaves its default
        (3, CUBICSPLINE, T, np.repeat(wave(1)[:, None], 3, 1)),
        dtype=dtype,
        morph_defaults=[0.5, 0, 0, 0],
    )
    for bound in (0.001, 0.01, 0.1):
        less = clip.optimized(bound)
        fine = np.linspace(0, 2, 2000)
        error = np.abs(less.morphs(fine, loop=False) - clip.morphs(fine, loop=False)).max()
        assert error <= bound * (1 + 1e-5)
        assert less.report.max_weight == pytest.approx(error, abs=1e-3 * bound)
        assert (less.start, less.end) == (clip.start, clip.end)
        assert less.morph_names == clip.morph_names
    counts = dict(
        zip(less.weight_tracks["joint"].tolist(), less.weight_tracks["key_count"].tolist(), strict=True)
    )
    assert counts[0] < 12
    assert counts[1] == 1
    assert 2 not in counts
    assert counts[3] == 61
    exact = clip.optimized(0)
    np.testing.assert_allclose(exact.morphs(fine), clip.morphs(fine), atol=1e-6)
    assert exact.weight_tracks["key_count"].tolist()[1] == 1


def test_errors_of_faces_are_those_of_their_vertices() -> None:
    """A target that moves a little keeps fewer keys than one that moves much, and the bound holds there."""
    hero = faced(share=0.02)
    morphs = hero.mesh.morphs
    reach = np.float32([1, 1e-3, 0, 0, 0, 0])[np.repeat(np.arange(6), np.diff(morphs.offsets)), None]
    arrays = (morphs.offsets, morphs.vertices, morphs.positions * reach)
    small = lissom.Morphs(morphs.names, *arrays, defaults=morphs.defaults)
    hero = with_morphs(hero, small)
    poses = np.tile(hero.skeleton.rest, (61, 1, 1))
    weights = np.tile(wave(), (1, 6))
    clip = Clip.from_poses(hero.skeleton, T, poses, morphs=weights, morph_names=small)
    fine = np.linspace(0, 2, 301)

    def vertices(of: Clip) -> np.ndarray:
        return hero.deform(of.sample(fine, loop=False), morphs=of.morphs(fine, loop=False)).astype(np.float64)

    for bound in (0.01, 0.001):
        less = clip.optimized(bound, character=hero)
        error = np.linalg.norm(vertices(less) - vertices(clip), axis=-1).max()
        assert less.report.judged == "vertices"
        assert less.report.max == pytest.approx(error, rel=0.05)
        assert error <= bound * hero.size * (1 + 1e-4)
        assert less.report.max_weight > bound
    counts = dict(zip(*(less.weight_tracks[name].tolist() for name in ("joint", "key_count")), strict=True))
    assert counts[0] > 4
    assert counts.get(1, 0) <= 1  # moves a tenth of a millimetre
    assert set(counts) <= {0, 1}
    frames = clip.resampled(max_error=0.001, character=hero)
    assert frames.report.max_relative <= 0.001
    assert np.linalg.norm(vertices(frames) - vertices(clip), axis=-1).max() <= 0.001 * hero.size * (1 + 1e-4)
    # A mesh without these targets says nothing of them: a weight counts as the size.
    plain = clip.optimized(0.01, character=lissom.samples.humanoid())
    assert plain.report.max_weight <= 0.01


def test_weights_do_not_cost_joints_their_keys() -> None:
    """Joints keep as many keys as without a face beside them."""
    rng = np.random.default_rng(6)
    skeleton = random_skeleton(rng, 5)
    angles = np.sin(np.pi * T)
    poses = np.stack(
        [skeleton.rotate(skeleton.rest, 1, [np.sin(a / 2), 0, 0, np.cos(a / 2)]) for a in angles]
    )
    body = Clip.from_poses(skeleton, T, poses)
    both = Clip.from_poses(skeleton, T, poses, morphs={"smile": wave()[:, 0]})
    alone, beside = body.optimized(1e-3), both.optimized(1e-3)
    np.testing.assert_array_equal(alone.tracks["key_count"], beside.tracks["key_count"])
    assert beside.weight_tracks["key_count"].tolist()[0] < 61


# Other bodies.


def test_retargeted_faces_go_by_name() -> None:
    hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    times = np.linspace(0, 1, 9)
    poses = hero.clips["walk"].sample(times)
    morphs = {"face/smile": np.sin(times), "nose/long": times, "face/blink": 1 - times}
    clip = Clip.from_poses(hero.skeleton, times, poses, name="walk", morphs=morphs)
    kept = lissom.Retarget(hero, child).clip(clip)
    np.testing.assert_array_equal(kept.morphs(times, loop=False), clip.morphs(times, loop=False))
    other = with_morphs(child, faced(child).mesh.morphs)
    retarget = lissom.Retarget(hero, other)
    carried = retarget.clip(clip)
    assert carried.morph_names == other.mesh.morphs.names
    want = np.tile(other.mesh.morphs.defaults, (9, 1))
    want[:, 0] = np.sin(times)
    want[:, 1] = 1 - times
    np.testing.assert_allclose(carried.morphs(times, loop=False), want, atol=1e-6)
    assert retarget.report.clips["walk"].morphs_left_out == ("nose/long",)
    assert other.deform(carried.sample(0.5), morphs=carried.morphs(0.5)).shape == other.mesh.positions.shape


def test_springs_leave_faces_alone() -> None:
    hero = lissom.samples.humanoid()
    poses = np.tile(hero.skeleton.rest, (3, 1, 1))
    clip = Clip.from_poses(hero.skeleton, [0, 0.5, 1], poses, morphs={"smile": [0, 1, 0]})
    baked = lissom.Springs(hero, [lissom.SpringChain(["Head"], end=0.2)]).simulate(clip)
    times = np.linspace(0, 1, 21)
    np.testing.assert_allclose(baked.morphs(times, loop=False), clip.morphs(times, loop=False), atol=1e-6)


# What has nothing to do with faces leaves them alone.


def test_root_motion_leaves_weights_alone() -> None:
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    rest = walk.sample(walk.start + np.linspace(0, walk.duration, 5))
    poses = rest.copy()
    poses[:, 0, 2] += np.linspace(0, 1, 5)
    clip = Clip.from_poses(hero.skeleton, np.linspace(0, 1, 5), poses, morphs={"smile": [0, 1, 0, 1, 0]})
    taken = clip.extract_root_motion()
    times = np.linspace(0, 1, 33)
    for edited in (taken, taken.restore_root_motion(), taken.with_root_motion(None)):
        np.testing.assert_allclose(
            edited.morphs(times, loop=False), clip.morphs(times, loop=False), atol=1e-6
        )


def test_numbers_of_morph_targets_are_no_joints() -> None:
    """A weight of target 1 is not moved by what is done to joint 1."""
    rest = random_poses(np.random.default_rng(0), 3)
    rest[:, 7:] = 1
    skeleton = Skeleton(["root", "hip", "foot"], [-1, 0, 1], rest)
    poses = np.tile(skeleton.rest, (2, 1, 1))
    poses[1, 1, :3] += 1
    clip = Clip.from_poses(skeleton, [0, 1], poses, morphs={"a": [0, 1], "b": [1, 0], "c": [0, 0.5]})
    for edited in (
        clip.extract_root_motion("hip"),
        clip.closed_loop(joints="hip"),
        clip.bind(skeleton),
    ):
        np.testing.assert_array_equal(
            edited.morphs([0.0, 0.5], loop=False), clip.morphs([0.0, 0.5], loop=False)
        )
    with pytest.warns(UserWarning, match=r"Clip\.to_bvh: weights of 3 morph targets of 'clip' are left out"):
        text = clip.to_bvh()
    assert text == Clip.from_poses(skeleton, [0, 1], poses).to_bvh()
