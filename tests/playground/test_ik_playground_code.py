# SPDX-License-Identifier: MIT
"""The code that a playground writes down, when run, makes the same pose, to the bit."""

import numpy as np
import pytest

import lissom
from lissom import ik, samples
from lissom._playground.chain_code import numbers

HERO = samples.humanoid()
REST = HERO.skeleton.rest
KNEE = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}


def chain(*ends, **options):
    return ik.Chain(HERO.skeleton, *ends, **options)


def ran(code):
    names = {}
    exec(compile(code, "<code>", "exec"), names)
    return names


LEG = chain("UpperLeg.L", "Foot.L", limits=KNEE)
LIMITED = {
    16: ik.SwingTwist((1.9, 0.8), twist=(-0.6, 0.6), across=(1, 0, 0), axis=(0.1, -1, 0.2)),
    "LowerLeg.L": ik.Hinge((1, 0.2, 0), -0.1, 2.2, zero="straight"),
}
CLIP_HINGE = {"LowerLeg.L": ik.Hinge.from_rest(-0.1, 2.6, clip=HERO.clips["walk"])}
EDITED_HINGE = {"LowerLeg.L": ik.Hinge.from_rest(-0.1, 2.6, clip=HERO.clips["walk"].reversed())}
ARMS = [
    chain("Spine", f"Hand.{side}", limits={f"UpperArm.{side}": ik.BallSocket(1.4, (-1, 1))}) for side in "LR"
]

CASES = {
    "one chain": (LEG, {}, [0.1, 0.5, 0.3]),
    "beyond reach": (LEG, {}, [0.4, 1.4, 0.9]),
    "limits of all kinds": (chain("UpperLeg.L", "Foot.L", limits=LIMITED), {}, [0.3, 0.6, 0.3]),
    "a hinge of a clip": (chain("UpperLeg.L", "Foot.L", limits=CLIP_HINGE), {}, [0.1, 0.5, 0.3]),
    "a hinge of an edited clip": (chain("UpperLeg.L", "Foot.L", limits=EDITED_HINGE), {}, [0.1, 0.5, 0.3]),
    "a clip's pose": (LEG, {"pose": HERO.clips["idle"].at(0.0)}, [0.1, 0.5, 0.3]),
    "any pose": (LEG, {"pose": HERO.clips["run"].at(0.3)}, [0.1, 0.5, 0.3]),
    "float64": (LEG, {"pose": HERO.clips["run"].at(0.3).astype(np.float64)}, [0.1, 0.5, 1 / 3]),
    "options": (LEG, {"tolerance": 1e-3, "max_iterations": 7}, [0.1, 0.5, 0.3]),
    "fixed and bent": (
        chain("Clavicle.L", "Hand.L", fixed=["UpperArm.L"], bend_axis=(0, 1, 0.5)), {}, [0.3, 1.3, 0.2]
    ),
    "several chains": (ARMS, {}, [[0.25, 1.1, 0.45], [-0.3, 1.2, 0.3]]),
}  # fmt: skip


@pytest.mark.parametrize(("chains", "options", "targets"), CASES.values(), ids=CASES)
def test_the_code_makes_the_pose_again(chains, options, targets):
    playground = ik.Playground(HERO, chains, **options)
    for name in playground.solvers:
        playground.solver = name
        for share in (0.3, 0.7, 1.0):  # a drag: solvers go on from the pose before
            first = playground._first.targets
            playground.solve(first[0] + share * (targets - first[0]) if first.shape == (1, 3) else targets)
        names = ran(playground.code())
        np.testing.assert_array_equal(names["pose"], playground.pose, err_msg=name)
        assert names["pose"].dtype == playground.pose.dtype
        np.testing.assert_array_equal(names["done"].residual, playground.result.residual)


def test_the_code_reads_as_one_would_write_it():
    playground = ik.Playground(HERO, LEG, solver="two_bone", poles=[0.1, 0.5, 2])
    playground.solve([0.1, 0.5, 0.3])
    assert playground.code() == (
        "import lissom\n"
        "from lissom import ik\n"
        "\n"
        "hero = lissom.samples.humanoid()\n"
        "pose = hero.skeleton.rest\n"
        'chain = ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", limits={"LowerLeg.L": '
        'ik.Hinge.from_rest(0.0, 2.6, zero="straight")})\n'
        "targets = [0.1, 0.5, 0.3]  # model space\n"
        "done = ik.two_bone(chain, pose, targets, pole=[0.1, 0.5, 2.0])\n"
        "print(done)\n"
        "pose = done.pose\n"
    )


def test_where_a_drag_began_is_written_only_where_it_matters():
    playground = ik.Playground(HERO, LEG, solver="ccd")
    playground.solve([0.1, 0.5, 0.3])
    assert "start" not in playground.code(), "the first drag goes on from the first pose"
    playground.solve([0.3, 0.6, 0.1])
    assert "ik.ccd(chain, pose, targets, start=start)" in playground.code()
    assert playground.code().count('"LowerLeg.L": [') == 1


def test_poles_that_there_are_none_of():
    legs = [LEG, chain("UpperLeg.R", "Foot.R")]
    playground = ik.Playground(HERO, legs, solver="two_bone", poles={"Foot.L": [np.nan] * 3})
    playground.solve({"Foot.R": [-0.1, 0.5, 0.3]})
    code = playground.code()
    assert "pole=[[np.nan, np.nan, np.nan], [" in code
    assert code.startswith("import numpy as np\n\nimport lissom\n")
    np.testing.assert_array_equal(ran(code)["pose"], playground.pose)


def test_a_file_is_loaded_by_its_path(tmp_path):
    path = tmp_path / "it's.glb"
    lissom.save_glb(samples.two_bone_tube(), path)
    tube = lissom.load(path)
    playground = ik.Playground(tube, ik.Chain(tube.skeleton, *tube.skeleton.names), source=path)
    playground.solve([0.2, 0.5, 0.3])
    np.testing.assert_array_equal(ran(playground.code())["pose"], playground.pose)


def test_without_its_path_the_reader_is_told_to_put_it_in():
    other = lissom.Character('a "hero"', HERO.skeleton, None, None)
    code = ik.Playground(other, LEG).code()
    assert 'hero = lissom.load("hero.glb")  # replace by the path of the file of \'a "hero"\'\n' in code


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_come_back_to_the_bit(dtype):
    rng = np.random.default_rng(5)
    array = (rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-12, 12, (40, 1))).astype(dtype)
    array[0] = np.nan, 0.0, -0.0
    back = np.array(eval(numbers(array), {"np": np}), dtype)
    np.testing.assert_array_equal(back, array)
    np.testing.assert_array_equal(np.signbit(back[1:]), np.signbit(array[1:]))


def test_where_there_are_no_poles_none_are_written():
    playground = ik.Playground(HERO, LEG, solver="two_bone", poles=[np.nan] * 3)
    assert "done = ik.two_bone(chain, pose, targets)\n" in playground.code()
