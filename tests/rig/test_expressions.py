# SPDX-License-Identifier: MIT
"""Expressions: groups of morph targets that weaken each other."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import Expression, Expressions, Morphs

NAMES = ("face/smile", "face/open", "face/shut", "hat/smile")
MORPHS = Morphs(NAMES, range(5), [0, 1, 2, 3], np.ones((4, 3)), defaults=[0.1, 0.2, 0.3, 0.4])


def face(*expressions):
    return Expressions(MORPHS, expressions)


def test_binds_add_up_and_others_keep_their_defaults():
    two = face(Expression("happy", {"face/smile": 1, "open": 0.5}), Expression("aa", {"open": 0.8}))
    got = two.weights({"happy": 0.5, "aa": 1})
    np.testing.assert_allclose(got, [0.5, 0.25 + 0.8, 0.3, 0.4], atol=1e-7)
    assert got.dtype == np.float32
    np.testing.assert_allclose(two.weights({}), [0, 0, 0.3, 0.4], atol=1e-7)
    np.testing.assert_allclose(two.weights({"happy": 1}, base=[1, 1, 1, 1]), [2, 1.5, 1, 1])


def test_a_bare_name_binds_all_nodes_that_share_it():
    np.testing.assert_allclose(
        face(Expression("happy", {"smile": 0.5})).weights({"happy": 1}), [0.5, 0.2, 0.3, 0.5]
    )


def test_weights_are_clamped():
    one = face(Expression("happy", {"open": 2.0}))
    assert one.weights({"happy": 3})[1] == 2
    assert one.weights({"happy": -3})[1] == 0


def test_binary_ones_are_there_or_not():
    one = face(Expression("happy", {"open": 1.0}, binary=True))
    assert one.weights({"happy": [0, 0.5, 0.5001, 1]})[:, 1].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("override", "happy", "left"),
    [
        ("none", 1.0, 1.0),
        ("block", 0.0, 1.0),
        ("block", 0.01, 0.0),
        ("blend", 0.25, 0.75),
        ("blend", 1.0, 0.0),
    ],
)
@pytest.mark.parametrize(("kind", "name"), [("blink", "blinkLeft"), ("look_at", "lookUp"), ("mouth", "ou")])
def test_overrides_weaken_their_kind(override, happy, left, kind, name):
    two = face(
        Expression("happy", {}, **{f"override_{kind}": override}),
        Expression(name, {"open": 1}),
        Expression("sad", {"shut": 1}),
    )
    got = two.weights({"happy": happy, name: 0.8, "sad": 0.5})
    assert got[1] == pytest.approx(0.8 * left)
    assert got[2] == pytest.approx(0.5)


def test_overrides_add_up():
    both = face(
        Expression("happy", {}, override_blink="blend"),
        Expression("sad", {}, override_blink="blend"),
        Expression("blink", {"shut": 1}),
    )
    got = both.weights({"happy": [0.2, 0.8, 0], "sad": [0.3, 0.8, 0], "blink": 1})
    np.testing.assert_allclose(got[:, 2], [0.5, 0, 1], atol=1e-7)


def test_an_expression_does_not_override_its_own_kind():
    blink = face(
        Expression("blink", {"shut": 1}, override_blink="block", override_mouth="block"),
        Expression("aa", {"open": 1}),
    )
    got = blink.weights({"blink": 1, "aa": 1})
    assert got[2] == 1
    assert got[1] == 0


def test_binary_ones_are_gone_where_anything_weakens_them():
    two = face(Expression("happy", {}, override_blink="blend"), Expression("blink", {"shut": 1}, binary=True))
    got = two.weights({"happy": [0, 0.01, 0.9], "blink": 1})
    assert got[:, 2].tolist() == [1, 0, 0]
    rounded = face(
        Expression("happy", {}, binary=True, override_blink="blend"), Expression("blink", {"shut": 1})
    )
    assert rounded.weights({"happy": [0.5, 0.6], "blink": 1})[:, 2].tolist() == [1, 0]


def test_arrays_of_all_are_as_names():
    rng = np.random.default_rng(0)
    three = face(
        Expression("happy", {"smile": 0.7}, override_mouth="blend"),
        Expression("aa", {"open": 0.9, "shut": 0.1}),
        Expression("odd", {"shut": -0.5}, binary=True),
    )
    values = rng.uniform(-0.2, 1.2, (5, 1, 3))
    base = rng.uniform(size=(4, 4)).astype(np.float32)
    got = three.weights(values, base)
    assert got.shape == (5, 4, 4)
    by_name = three.weights({name: values[..., i] for i, name in enumerate(three.names)}, base)
    np.testing.assert_array_equal(got, by_name)
    np.testing.assert_array_equal(got[2, 3], three.weights(values[2, 0], base[3]))
    assert three.weights(np.zeros((0, 3))).shape == (0, 4)


def test_they_are_a_mapping_of_names():
    two = face(Expression("happy", {"smile": 1}), Expression("aa", {"open": 1}, binary=True))
    assert two.names == tuple(two) == ("happy", "aa")
    assert len(two) == 2
    assert "aa" in two
    assert "ee" not in two
    assert two["aa"].binary
    assert dict(two["aa"].binds) == {"open": 1}
    with pytest.raises(KeyError, match=r"no expression is named 'hapy'; did you mean 'happy'\?"):
        two["hapy"]
    assert repr(two) == "<Expressions: happy, aa; 3 of 4 morph targets>"
    assert repr(face()) == "<Expressions: none; 0 of 4 morph targets>"
    assert two.weights({"aa": 1}).shape == face().weights({}).shape == (4,)


def test_copies_are_the_same():
    two = face(Expression("happy", {"smile": 1}, override_blink="block"), Expression("blink", {"shut": 1}))
    for other in (copy.copy(two), copy.deepcopy(two), pickle.loads(pickle.dumps(two))):
        np.testing.assert_array_equal(other.weights([0.5, 1.0]), two.weights([0.5, 1.0]))
        assert other["happy"] == two["happy"]
        assert hash(other["happy"]) == hash(two["happy"])


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((3, {}), TypeError, "Expression: name must be a str, got int"),
        (("a", ["smile"]), TypeError, "Expression: binds must be a mapping of morph"),
        (("a", {3: 1.0}), TypeError, "Expression: binds must name morph targets, got int"),
        (("a", {"smile": np.nan}), ValueError, "Expression: binds['smile'] must be "),
        (("a", {"smile": "much"}), TypeError, "Expression: binds['smile'] must be a number, got str"),
        (("a", {}, 1), TypeError, "Expression: binary must be True or False, got int"),
        (("a", {}, False, "half"), ValueError, "Expression: override_blink must be one of none"),
    ],
)  # fmt: skip
def test_wrong_expressions_are_refused(arguments, kind, message):
    with pytest.raises(kind) as caught:
        Expression(*arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("expressions", "kind", "message"),
    [
        ([Expression("a", {}), Expression("a", {})], ValueError, "names must not repeat, got 'a' twice"),
        (
            [Expression("a", {"smle": 1})],
            ValueError,
            "'a': no morph target is named 'smle'; did you mean 'smile'",
        ),
        (Expression("a", {}), TypeError, "expressions must be a sequence of Expression, got Expression"),
        (["a"], TypeError, "expressions must hold Expression, got str"),
    ],
)
def test_groups_that_do_not_fit_are_refused(expressions, kind, message):
    with pytest.raises(kind) as caught:
        Expressions(MORPHS, expressions)
    assert str(caught.value).startswith(f"Expressions: {message}")


@pytest.mark.parametrize(
    ("values", "base", "kind", "message"),
    [
        ({"sad": 1}, None, ValueError, "no expression is named 'sad'"),
        ({"Joy": 1}, None, ValueError, "no expression is named 'Joy'; VRM 1 calls it 'happy'"),
        ({"sorrow": 1}, None, ValueError, "no expression is named 'sorrow'; there are: 'happy', 'aa'"),
        ({"happy": np.nan}, None, ValueError, "values['happy'] must be finite, got nan"),
        ({"happy": "x"}, None, TypeError, "values['happy'] must be an array of real numbers"),
        (
            "happy",
            None,
            TypeError,
            "values must be a mapping of names to weights, or an array of real numbers, got str; pass "
            "{'happy': 1}",
        ),
        (
            ["sad", "aa"],
            None,
            TypeError,
            "values must be a mapping of names to weights, or an array of real "
            "numbers, got list; pass {'aa': 1}",
        ),
        ({"happy": [0, 1], "aa": [0, 1, 2]}, None, ValueError, "values must broadcast with each other"),
        ([1.0], None, ValueError, "values must have shape (..., 2), got (1,)"),
        ([1.0, np.inf], None, ValueError, "values must be finite, got inf"),
        ([0.0, 1.0], [1, 2], ValueError, "base must have shape (..., 4), got (2,)"),
        ([0.0, 1.0], [1, 2, 3, np.nan], ValueError, "base must be finite"),
        (
            np.zeros((3, 2)),
            np.zeros((2, 4)),
            ValueError,
            "values and base must have leading axes that broadcast",
        ),
    ],
)
def test_wrong_weights_are_refused(values, base, kind, message):
    two = face(Expression("happy", {"smile": 1}), Expression("aa", {"open": 1}))
    with pytest.raises(kind) as caught:
        two.weights(values, base)
    assert str(caught.value).startswith(f"Expressions.weights: {message}")


def test_a_character_keeps_them_with_fewer_parts():
    tube = lissom.samples.two_bone_tube()
    morphs = Morphs.from_dense(["Light/out"], np.ones((1, tube.mesh.vertex_count, 3)))
    mesh = lissom.Mesh(
        tube.mesh.positions, tube.mesh.triangles, tube.mesh.indices, tube.mesh.weights,
        parts=tube.mesh.parts, morphs=morphs,
    )  # fmt: skip
    hero = lissom.Character("tube", tube.skeleton, mesh, tube.skin)
    assert hero.expressions is None
    hero.expressions = Expressions(morphs, [Expression("aa", {"out": 1})])
    for other in (hero.only("Dark"), hero.prepared(), pickle.loads(pickle.dumps(hero))):
        assert other.expressions.names == ("aa",)
        assert len(other.expressions.weights({"aa": 1})) == len(other.mesh.morphs)
    with pytest.raises(ValueError, match=r"^Character.expressions must be of the mesh's 1 morph target, got"):
        hero.expressions = Expressions(MORPHS, [])
    with pytest.raises(TypeError, match=r"^Character.expressions must be Expressions or None, got dict"):
        hero.expressions = {"aa": 1}
    hero.expressions = None
    assert hero.only("Dark").expressions is None
