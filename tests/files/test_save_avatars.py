# SPDX-License-Identifier: MIT
"""Expressions and views survive saved files."""

import numpy as np
import pytest

import lissom
from glb_contents import contents, rewritten
from vrm_avatars import FACE, GLOVE, avatar


def saved(version=1, **said):
    body = lissom.load(avatar(version, said=said).glb())
    return body, lissom.save_glb(body)


@pytest.mark.parametrize("version", [0, 1])
def test_expressions_survive(version):
    body, data = saved(version)
    loaded = lissom.load(data)
    assert not loaded.repairs
    face = body.expressions
    assert loaded.expressions.names == face.names
    values = np.random.default_rng(0).uniform(size=(9, len(face)))
    np.testing.assert_array_equal(loaded.expressions.weights(values), face.weights(values))
    for name in face:
        mine, its = face[name], loaded.expressions[name]
        for attribute in ("binary", "override_blink", "override_look_at", "override_mouth"):
            assert getattr(mine, attribute) == getattr(its, attribute)
        assert dict(mine.binds) == dict(its.binds)
    assert lissom.save_glb(loaded) == data


def test_views_survive():
    listed = [{"node": FACE, "type": "thirdPersonOnly"}, {"node": GLOVE, "type": "both"}]
    body, data = saved(firstPerson={"meshAnnotations": listed})
    loaded = lissom.load(data)
    assert [(part.name, part.view) for part in loaded.mesh.parts] == [
        (part.name, part.view) for part in body.mesh.parts
    ]
    assert {part.view for part in loaded.mesh.parts} == {"auto", "both", "thirdPersonOnly"}


def test_characters_without_have_no_marks():
    data = lissom.save_glb(lissom.samples.two_bone_tube())
    assert contents(data)["scenes"][0]["extras"] == {"lissom": {"joints": "all"}}
    assert lissom.load(data).expressions is None


@pytest.mark.parametrize(
    "change",
    [
        lambda marks: marks[0]["binds"].append([99, 1.0]),
        lambda marks: marks[0]["binds"].append([0, 1e30]),
        lambda marks: marks.append(marks[0]),
    ],
)
def test_marks_that_do_not_fit_are_not_used(change):
    _, data = saved()
    broken = rewritten(data, lambda root: change(root["scenes"][0]["extras"]["lissom"]["expressions"]))
    loaded = lissom.load(broken)
    assert [each.code for each in loaded.repairs] == ["EXTRAS_IGNORED"]
    assert loaded.expressions is None
