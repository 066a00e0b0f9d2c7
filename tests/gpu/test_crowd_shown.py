# SPDX-License-Identifier: MIT
"""What of a crowd counts and is seen: hidden instances, assigned arrays, faces of what is mirrored."""

import numpy as np
import pytest

import lissom
from lissom.gpu import Crowd, Impostors, Stage, plain_instances


@pytest.fixture(scope="module")
def tube():
    return lissom.samples.two_bone_tube()


@pytest.fixture(scope="module")
def bake(tube):
    return lissom.bake(tube, "bend", rate=5)


def test_hidden_instances_do_not_count(stage, bake):
    instances = plain_instances(3)
    instances["position"][2] = (1000, -500, 0)
    instances["scale"][2] = 100
    with Crowd(bake, 2, stage=stage, instances=instances[:2]) as two:
        expected = two.points(), two.ground(), two.size
    instances["tint"][2, 3] = 0
    with Crowd(bake, 3, stage=stage, instances=instances) as crowd:
        np.testing.assert_array_equal(crowd.points(), expected[0])
        assert (crowd.ground(), crowd.size) == expected[1:]


def test_assigned_instances_are_copied(stage, bake):
    mine = plain_instances(8)
    mine.flags.writeable = False
    with Crowd(bake, 2, stage=stage) as crowd:
        crowd.instances = mine[::2]
        assert len(crowd) == 4
        crowd.update(0.1)
        assert (crowd.instances["time"] > 0).all()
        assert (mine["time"] == 0).all()


def test_what_is_mirrored_is_seen_from_both_sides(context, tube):
    bake = lissom.bake(tube, "bend", rate=5, layout="matrix", method="linear").edited()
    bake.texels[:, :, 0] *= -1  # the first row of each matrix: x is turned round
    pictures = []
    with Stage(120, 120, context=context) as stage:
        for two_sided in (None, True, False):
            with Crowd(bake, 1, stage=stage, instances=plain_instances(1), two_sided=two_sided) as crowd:
                pictures.append(stage.render(crowd).array.astype(int))
    np.testing.assert_array_equal(pictures[0], pictures[1])
    assert np.abs(pictures[2] - pictures[1]).max() > 20


def test_impostors_refuse_a_method_that_the_bake_does_not_drive(stage, tube):
    bake = lissom.bake(tube, "bend", rate=5, layout="matrix", method="linear")
    with pytest.raises(ValueError, match="Impostors: method must be one of 'linear', which a bake in"):
        Impostors(bake, stage=stage, method="dual_quat")


def test_a_step_beyond_all_numbers_is_refused(stage, bake):
    with Crowd(bake, 2, stage=stage, instances=plain_instances(2)) as crowd:
        crowd.update(1e300)
        assert np.isfinite(crowd.instances["time"]).all()
        crowd.instances["speed"][1] = 1e30
        with pytest.raises(ValueError, match=r"dt must be finite when multiplied by the speed 1e\+30"):
            crowd.update(1e300)
