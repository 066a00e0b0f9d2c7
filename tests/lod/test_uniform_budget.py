# SPDX-License-Identifier: MIT
"""Joints per uniform budget: the figures of the sources, and counting by hand."""

import re

import pytest

from lissom.gpu import UniformBudget, uniform_budget
from lissom.gpu._budget import FLOATS_PER_JOINT, GL33_REGISTERS


def test_128_registers_hold_31_matrices_or_62_quaternions_with_translations():
    budget = uniform_budget(128, reserved=4)  # Stage3D's registers, one matrix for the camera
    assert budget.joints["matrix"] == 31
    assert budget.joints["quat_trans"] == budget.joints["dual_quat"] == 62
    assert budget.joints["matrix_3x4"] == 41
    assert budget.joints["quat_trans_packed"] == 70  # 124 * 4 / 7


def test_one_joint_more_would_not_fit():
    for registers in range(4, 300):
        for copies in (1, 2):
            budget = uniform_budget(registers, 4, copies=copies)
            for layout, count in budget.joints.items():
                used = count * copies * FLOATS_PER_JOINT[layout]
                assert used <= 4 * (registers - 4) < used + copies * FLOATS_PER_JOINT[layout]


def test_a_pose_beside_its_inverse_bind_halves_the_joints():
    assert (
        uniform_budget(GL33_REGISTERS, 0, copies=2).joints["matrix"] == 32
    )  # not the 120 of a common lesson
    assert uniform_budget(960, 0, copies=2).joints["matrix"] == 120


def test_a_budget_prints_as_a_table():
    text = str(uniform_budget(128))
    assert text.splitlines()[0] == "128 registers, 4 reserved"
    assert re.search(r"^quat_trans_packed +1\.75 +70$", text, re.M)
    assert isinstance(uniform_budget(), UniformBudget)
    assert uniform_budget().registers == 256


def test_misuse_is_refused_in_a_sentence():
    with pytest.raises(TypeError, match="registers must be a whole number, got float"):
        uniform_budget(128.0)
    with pytest.raises(ValueError, match="reserved must be at least 0, got -1"):
        uniform_budget(128, -1)
    with pytest.raises(ValueError, match="copies must be at least 1, got 0"):
        uniform_budget(128, copies=0)
    with pytest.raises(ValueError, match="reserved must be at most the number of registers, 128, got 129"):
        uniform_budget(128, 129)
