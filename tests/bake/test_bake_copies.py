# SPDX-License-Identifier: MIT
"""Vertices that a file repeats, at seams and hard edges, count as often as they are there."""

import numpy as np
import pytest

import bake_rigs
import lissom
from reference import bake as twin

# What float32 sampling, palettes and skinning add to a distance measured in float64, for a figure of 2 m.
FLOAT32_NOISE = 3e-6


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_copies_count_in_every_statistic(method):
    """The upper third nine times, in another order: all distances again in float64."""
    mesh = bake_rigs.mesh()
    upper = np.flatnonzero(mesh.positions[:, 1] > np.quantile(mesh.positions[:, 1], 2 / 3))
    kinds = np.random.default_rng(1).permutation(np.concatenate([np.arange(240), *[upper] * 8]))
    copied = lissom.Mesh(
        mesh.positions[kinds], np.empty((0, 3), int), mesh.indices[kinds], mesh.weights[kinds], parts=()
    )
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones, key_count=13)
    character = lissom.Character("tube", bones, copied, bake_rigs.skin(bones), {"wave": clip})
    bake = lissom.bake(character, rate=8, dtype="float32", method=method)
    error, report = bake.clips["wave"].error, bake.report
    times, poses = np.linspace(0, 1, 13), bake_rigs.waving_poses(bones, 13)
    moments = np.union1d(np.arange(33) / 32, times)  # frames, three between each two, and keys
    distances = bake_rigs.twin_distances(character, bake, "wave", times, poses, moments, method)
    assert error.at_frames.moment_count + error.between.moment_count == len(moments)
    assert report.vertex_count == len(kinds)
    assert error.rms == pytest.approx(np.sqrt((distances**2).mean()), abs=FLOAT32_NOISE)
    exact = np.quantile(distances, 0.99, method="inverted_cdf")
    assert exact - FLOAT32_NOISE <= error.p99 <= 1.009 * exact + FLOAT32_NOISE
    rows = twin.heaviest_rows(copied.indices, copied.weights)
    largest, rms = twin.joint_errors(distances, rows, 5)
    np.testing.assert_allclose(report.joint_rms[0], rms, atol=FLOAT32_NOISE)
    np.testing.assert_allclose(report.joint_max[0], largest, rtol=0.01)  # peaks between moments count too
    # Of vertices that move as one the first is named.
    worst = error.worst.vertex
    assert worst == np.flatnonzero(kinds == kinds[worst])[0]
    # Without the copies the mean and the percentile are others.
    once = lissom.bake(bake_rigs.character(clip), rate=8, dtype="float32", method=method).clips["wave"].error
    assert abs(once.rms - error.rms) > 100 * FLOAT32_NOISE
