# SPDX-License-Identifier: MIT
"""Bakes of characters with morph targets: weights beside the poses, and errors of what both move."""

import numpy as np
import pytest

import lissom
import morph_faces
from lissom.errors import BakeError
from reference import skinning

# float32 poses, palettes and vertices of a head at 1.5 m.
NOISE = 2e-6
HELD = (
    1.005  # of the stated maximum: between frames its peaks are looked for, and found within half a percent
)
HALF_STEP = 2.0**-11  # largest rounding error of float16 below 1, and of the lerp of two


@pytest.fixture(scope="module")
def face():
    return morph_faces.character()


@pytest.fixture(scope="module")
def baked(face):
    return lissom.bake(face, rate=20, method="linear")


def twin(mesh, matrices, weights):
    """Vertices (V, 3) in float64 from the specification: morphed, then skinned linearly."""
    shape = morph_faces.morphed(mesh, weights)
    return skinning.linear(shape, np.zeros_like(shape), mesh.indices, mesh.weights, matrices)[0]


def distances(character, bake, name, times):
    """Distances (N, V) of baked from source vertices, by the twin."""
    clip, mesh = character.clips[name], character.mesh
    source = character.skin.palette(
        character.skeleton.model_matrices(clip.sample(times, loop=False))
    ).matrices
    stored = bake.sample(name, times, loop=False).matrices
    weights = clip.morphs(times, loop=False)
    baked_weights = bake.sample_morphs(name, times, loop=False)
    return np.array(
        [
            np.linalg.norm(
                twin(mesh, stored[i], baked_weights[i]) - twin(mesh, source[i], weights[i]), axis=1
            )
            for i in range(len(times))
        ]
    )


def test_frames_hold_the_weights_of_the_clip(face, baked):
    clip = face.clips["talk"]
    names = face.mesh.morphs.names
    assert baked.morph_names == names == baked.mesh.morphs.names
    assert baked.weights.dtype == np.float16
    assert baked.weights.shape == (21, len(names))
    assert not baked.weights.flags.writeable
    expected = clip.morphs(np.linspace(0, 1, 21), loop=False)
    np.testing.assert_allclose(baked.weights, expected, rtol=0, atol=HALF_STEP)
    np.testing.assert_array_equal(baked.weights[:, 1], np.float16(0.25))  # no track: the default
    assert "6 morphs" in repr(baked)


def test_weights_between_frames_are_a_lerp_by_the_rule_of_poses(baked):
    times = np.random.default_rng(0).uniform(-1, 2, (3, 7))
    found = baked.sample_morphs("talk", times)
    assert found.shape == (3, 7, 6)
    assert found.dtype == np.float32
    place = np.clip(times, 0, 1) * 20
    frame = np.minimum(place.astype(int), 19)
    share = (place - frame)[..., None]
    stored = baked.weights.astype(np.float64)
    np.testing.assert_allclose(found, stored[frame] * (1 - share) + stored[frame + 1] * share, atol=2e-7)
    nearest = baked.sample_morphs("talk", times, interpolate=False)
    np.testing.assert_array_equal(nearest, stored[np.floor(place + 0.5).astype(int)].astype(np.float32))


def test_a_loop_wraps_weights_as_it_wraps_poses():
    face = morph_faces.character()
    looping = morph_faces.clip(face.skeleton, face.mesh.morphs, name="loop", loop=True)
    bake = lissom.bake(face, looping, rate=20)
    np.testing.assert_array_equal(bake.sample_morphs("loop", 1.25), bake.sample_morphs("loop", 0.25))
    np.testing.assert_array_equal(bake.sample_morphs("loop", 1.0), bake.sample_morphs("loop", 0.0))
    np.testing.assert_array_equal(bake.sample_morphs("loop", 1.0, loop=False), bake.weights[-1].astype("f4"))


def test_a_fade_mixes_weights(baked):
    found = baked.sample_morph_frames(3.5, next_coordinates=10.0, fades=[0.0, 0.25, 1.0])
    a = (baked.weights[3].astype(np.float64) + baked.weights[4]) / 2
    b = baked.weights[10].astype(np.float64)
    np.testing.assert_allclose(found, [a, 0.75 * a + 0.25 * b, b], atol=2e-7)


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_errors_are_of_morphed_and_skinned_vertices(face, method):
    bake = lissom.bake(face, rate=7, method=method)
    error = bake.clips["talk"].error
    times = np.linspace(0, 1, 301)
    if method == "linear":
        found = distances(face, bake, "talk", times).max()
    else:
        clip = face.clips["talk"]
        expected = face.deform(clip.sample(times), "dual_quat", morphs=clip.morphs(times))
        palette = bake.sample("talk", times, loop=False)
        weights = bake.sample_morphs("talk", times, loop=False)
        actual = lissom.deform(face.mesh, palette, "dual_quat", morphs=weights)
        found = np.linalg.norm(expected - actual, axis=-1).max()
    assert found <= HELD * error.max + NOISE
    assert found > 0.98 * error.max
    # The nod alone, baked alike, is off by less.
    still = lissom.bake(morph_faces.character([]), rate=7, method=method)
    assert still.clips["talk"].error.max < 0.95 * error.max


def test_the_worst_vertex_is_where_the_report_says(face, baked):
    worst = baked.clips["talk"].error.worst
    found = distances(face, baked, "talk", np.array([worst.time]))[0]
    assert found.argmax() == worst.vertex
    assert abs(found.max() - worst.distance) < NOISE
    assert baked.report.morph_count == 6
    assert "by 6 morph targets and linear skinning" in str(baked.report)


def test_bounds_hold_what_targets_move():
    wide = morph_faces.character([morph_faces.track(0, 1, [0, 1], [0, 6])], nods=False)
    bake = lissom.bake(wide, rate=10)
    low, high = bake.clips["talk"].bounds
    shape = morph_faces.morphed(wide.mesh, bake.weights[-1])
    np.testing.assert_allclose(low, np.minimum(shape.min(0), low), atol=1e-6)
    assert (shape >= low - 1e-6).all()
    assert (shape <= high + 1e-6).all()
    assert np.abs(np.concatenate([low, high]) - wide.mesh.bounds.ravel()).max() > 0.01


def test_a_clip_that_only_moves_weights_is_baked_to_its_error():
    face = morph_faces.character([morph_faces.OPEN], nods=False)
    first = lissom.bake(face, rate=10)
    assert first.clips["talk"].error.max > 0
    fine = lissom.bake(face, rate=10, max_error=first.report.max_relative / 4, dtype="float32")
    assert fine.clips["talk"].rate > 10
    assert fine.report.max_relative <= first.report.max_relative / 4
    assert np.ptp(fine.texels, axis=0).max() == 0  # no joint moves


def test_a_type_that_is_too_coarse_for_weights_is_widened():
    """Beyond 1024 float16 has whole numbers alone."""
    track = morph_faces.track(0, 1, [0, 1], [1000.3, 1500.7])
    face = morph_faces.character([track], nods=False, size=0.0005)
    coarse = lissom.bake(face, rate=10)
    assert coarse.weights.dtype == np.float16
    assert coarse.clips["talk"].error.at_frames.max > 10 * NOISE
    fine = lissom.bake(face, rate=10, max_error=coarse.report.max_relative / 20)
    assert fine.weights.dtype == fine.texels.dtype == np.float32
    assert any("float32 is stored instead of float16" in note for note in fine.report.notes)


def test_a_weight_beyond_float16_is_refused_or_widened():
    face = morph_faces.character([morph_faces.track(0, 1, [0, 1], [0, 1e5])], nods=False, size=1e-6)
    with pytest.raises(BakeError, match=r"has a morph target of weight 100000, and float16 ends at 65504"):
        lissom.bake(face, rate=10)
    assert lissom.bake(face, rate=10, max_error=0.1).weights.dtype == np.float32


def test_weights_that_jump_are_reported_apart():
    face = morph_faces.character([morph_faces.BLINK], nods=False)
    error = lissom.bake(face, rate=20).clips["talk"].error
    assert error.max < NOISE
    rows = face.mesh.morphs.rows(3)
    moved = np.linalg.norm(face.mesh.morphs.positions[rows], axis=1).max()
    # Midway between two frames the blend has half of a jump, at 3/4 three quarters of it.
    assert 0.5 * moved < error.jumps.max <= moved * 1.001


def test_bytes_keep_weights_in_float16(face):
    bake = lissom.bake(face, rate=20, dtype="uint8")
    assert bake.texels.dtype == np.uint8
    assert bake.weights.dtype == np.float16
    assert lissom.bake(face, rate=20, dtype="float32").weights.dtype == np.float32


@pytest.mark.parametrize("layout", ["matrix", "quat_trans", "trs", "rotations"])
def test_weights_are_the_same_in_every_layout(face, baked, layout):
    bake = lissom.bake(face, rate=20, layout=layout)
    np.testing.assert_array_equal(bake.weights, baked.weights)


def test_extra_joints_and_no_mesh_keep_the_weights(face, baked):
    bake = lissom.bake(face, rate=20, extra_joints=["Neck"], include_mesh=False, dtype="float32")
    assert bake.mesh is None
    assert bake.morph_names == baked.morph_names
    plain = lissom.bake(face, rate=20, dtype="float32")
    np.testing.assert_array_equal(bake.weights, plain.weights)
    assert bake.clips["talk"].error.max == pytest.approx(plain.clips["talk"].error.max, rel=1e-3)


def test_a_clip_without_morph_targets_has_the_defaults(face):
    bones = face.skeleton
    plain = lissom.Clip.from_poses(bones, [0, 1], [bones.rest] * 2, name="plain")
    bake = lissom.bake(face, [plain, "talk"], rate=20)
    np.testing.assert_array_equal(bake.weights[0], face.mesh.morphs.defaults.astype(np.float16))
    np.testing.assert_array_equal(
        bake.sample_morphs("talk", 0.5), lissom.bake(face, rate=20).sample_morphs("talk", 0.5)
    )
    assert bake.clips["plain"].error.max < NOISE


def test_targets_of_another_mesh_are_refused(face):
    other = morph_faces.mesh(7)
    strange = morph_faces.clip(face.skeleton, other.morphs, name="strange")
    with pytest.raises(ValueError, match=r"bake: clip 'strange' must move the morph targets of 'face'"):
        lissom.bake(face, strange)


def test_a_character_without_targets_has_no_weights():
    bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    assert bake.weights is None
    assert bake.morph_names == ()
    assert bake.sample_morphs("bend", [0, 1]).shape == (2, 0)
    assert bake.report.morph_count == 0


def test_the_source_hash_knows_targets_and_weights(face, baked):
    hashes = {baked.source_hash}
    for changed in (
        morph_faces.character(seed=6),  # other differences
        morph_faces.character([morph_faces.SMILE]),  # a track less
        morph_faces.character([morph_faces.SMILE, morph_faces.BLINK]),
    ):
        hashes.add(lissom.bake(changed, rate=20).source_hash)
    assert len(hashes) == 4
    assert lissom.bake(morph_faces.character(), rate=20).source_hash == baked.source_hash
