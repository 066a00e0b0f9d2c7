# SPDX-License-Identifier: MIT
"""Expressions that VRM files state: as three-vrm has them, or left out with a record."""

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset
from glb_contents import contents, rewritten
from lissom.errors import GltfError
from vrm_avatars import HAT, VRM0_SAID, VRM1_SAID, avatar, bind
from vrm_node import NEEDS_NODE, three_vrm

COUNT = 60
WILD = {
    name: f"wild/{folder}/{name}.vrm"
    for folder, name in (
        ("vrm", "Godette_vrm_v4"),
        ("vrm", "sphere"),
        ("morph/vrm-addon", "pose_rotation_scale_shape_key_skinned"),
        ("morph/vrm-addon", "modifier_shapekey_vrm0"),
    )
}


def without_pictures(root):
    for key in ("materials", "textures", "images", "samplers"):
        root.pop(key, None)
    for mesh in root["meshes"]:
        for primitive in mesh["primitives"]:
            primitive.pop("material", None)


def draws(names, seed):
    """Weights of some of the expressions."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(-0.1, 1.2, (COUNT, len(names))) * (rng.uniform(size=(COUNT, len(names))) < 0.5)
    return values.round(3)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expressions")
    data = {"vrm1": avatar(1).glb(), "vrm0": avatar(0).glb()}
    data |= {name: (ASSETS / path).read_bytes() for name, path in WILD.items() if (ASSETS / path).is_file()}
    tasks, cases = [], {}
    for seed, (name, glb) in enumerate(data.items()):
        path = folder / f"{seed}.glb"
        path.write_bytes(rewritten(glb, without_pictures))
        body = lissom.load(glb)
        values = draws(body.expressions.names, seed)
        faces = [dict(zip(body.expressions.names, row, strict=True)) for row in values.tolist()]
        tasks.append({"file": str(path), "faces": faces})
        cases[name] = (body, values, contents(glb))
    return {
        name: (*case, answer) for (name, case), answer in zip(cases.items(), three_vrm(tasks), strict=True)
    }


@pytest.mark.parametrize("name", ["vrm1", "vrm0", *WILD])
@pytest.mark.tree
@NEEDS_NODE[1]
@NEEDS_NODE[2]
def test_weights_are_those_of_three_vrm(runs, name):
    if name not in runs:
        asset(WILD[name])  # skips
    body, values, root, answers = runs[name]
    got = body.expressions.weights(values)
    morphs = body.mesh.morphs
    checked = 0
    for node, influences in answers[0].items():
        if not influences:
            continue
        node_name = root["nodes"][int(node)]["name"]
        columns = [i for i, each in enumerate(morphs.names) if each.startswith(f"{node_name}/")]
        expected = np.array([each[node] for each in answers])
        np.testing.assert_allclose(got[:, columns], expected, atol=1e-6)
        checked += len(columns)
        assert np.ptp(expected, axis=0).max() > 0.3
    assert checked == (0 if morphs is None else len(morphs))


def test_binds_are_those_of_vrm_1():
    body = lissom.load(avatar().glb())
    face = body.expressions
    assert set(face.names) == {*VRM1_SAID["expressions"]["preset"], "wink"}
    assert dict(face["angry"].binds) == {"face/smile": 0.5, "hat/smile": 0.8}
    assert (face["angry"].binary, face["angry"].override_look_at, face["happy"].override_mouth) == (
        True, "block", "block",
    )  # fmt: skip
    assert not body.repairs


def test_names_of_vrm_0_are_those_of_vrm_1():
    face = lissom.load(avatar(0).glb()).expressions
    assert face.names == ("happy", "angry", "blinkLeft", "aa", "lookUp", "Wink")
    assert dict(face["happy"].binds) == {"face/smile": 1.0, "face/open": 0.3}
    assert dict(face["angry"].binds) == {"hat/smile": 0.8}


def test_a_mesh_on_two_nodes_is_bound_twice():
    def twice(root):
        root["nodes"].append({"name": "other", "mesh": 2})
        root["scenes"][0]["nodes"].append(len(root["nodes"]) - 1)

    face = lissom.load(rewritten(avatar(0).glb(), twice)).expressions
    assert dict(face["angry"].binds) == {"hat/smile": 0.8, "other/smile": 0.8}


def test_colours_and_textures_are_said_to_be_left_out():
    body = lissom.load(asset("wild/vrm/VRMC_vrm_expressions_isBinary_Overridden.vrm"))
    said = [each.pointer for each in body.repairs if each.code == "EXPRESSION_MATERIALS_LEFT_OUT"]
    assert said == [f"/extensions/VRMC_vrm/expressions/preset/{name}" for name in ("happy", "blink")]
    assert body.expressions.names == ("happy", "blink")
    assert body.expressions.weights({"happy": 1}).shape == (0,)


def test_files_without_expressions_have_none():
    assert lissom.samples.humanoid().expressions is None


def changed(version, change):
    return rewritten(avatar(version).glb(), lambda root: change(next(iter(root["extensions"].values()))))


def with_bind(**members):
    def change(said):
        said["expressions"]["preset"]["happy"]["morphTargetBinds"].append(bind(0, 1.0) | members)

    return changed(1, change)


def with_bind_0(**members):
    def change(said):
        said["blendShapeMaster"]["blendShapeGroups"][0]["binds"].append(
            {"mesh": 0, "index": 0, "weight": 1} | members
        )

    return changed(0, change)


@pytest.mark.parametrize(
    "data",
    [
        with_bind(node=999),
        with_bind(node=-1),
        with_bind(node=0),
        with_bind(index=4),
        with_bind(index=-1),
        with_bind(weight=1e30),
        with_bind(node=HAT, index=2),
        with_bind_0(mesh=99),
        with_bind_0(mesh=1),
        with_bind_0(index=4),
        with_bind_0(weight=-1e30),
    ],
)
def test_binds_of_what_is_not_there_are_left_out(data):
    body = lissom.load(data)
    (repair,) = [each for each in body.repairs if each.code == "EXPRESSION_BIND_LEFT_OUT"]
    assert "happy" in repair.message
    assert len(body.expressions["happy"].binds) == 2
    with pytest.raises(GltfError) as caught:
        lissom.load(data, strict=True)
    assert caught.value.code == "EXPRESSION_BIND_LEFT_OUT"


@pytest.mark.parametrize(
    ("version", "member", "value"),
    [
        (1, "expressions", []),
        (1, "expressions", {"preset": {"happy": {"isBinary": "yes"}}}),
        (1, "expressions", {"preset": {"happy": {"morphTargetBinds": {"node": 1}}}}),
        (1, "expressions", {"preset": [{}]}),
        (0, "blendShapeMaster", 3),
        (0, "blendShapeMaster", {"blendShapeGroups": [{"binds": [3]}]}),
        (0, "blendShapeMaster", {"blendShapeGroups": [{"binds": [{"index": 1.5}]}]}),
    ],
)
def test_what_cannot_be_read_is_left_out(version, member, value):
    body = lissom.load(changed(version, lambda said: said.update({member: value})))
    (repair,) = [each for each in body.repairs if each.code == "EXPRESSION_LEFT_OUT"]
    assert repair.message.startswith("the expressions cannot be read: ")
    assert body.expressions is None


def test_wrong_names_and_overrides_are_left_out():
    def change(said):
        said["expressions"]["preset"] |= {"grin": {}, "sad": None}
        said["expressions"]["custom"] |= {"happy": {}, "": {}, "odd": {"overrideBlink": "some"}}

    body = lissom.load(changed(1, change))
    assert [each.message for each in body.repairs if each.code == "EXPRESSION_LEFT_OUT"] == [
        "'grin' is no preset of VRM 1",
        "'happy' is the name of a preset",
        "'' is no name",
        "an override must be none, block or blend, got 'some'",
    ]
    assert "odd" in body.expressions
    assert "grin" not in body.expressions
    assert "sad" not in body.expressions

    def change_0(said):
        said["blendShapeMaster"]["blendShapeGroups"] += [
            {"presetName": "joy", "name": "J"},
            {"presetName": "x"},
        ]

    body = lissom.load(changed(0, change_0))
    assert [each.message for each in body.repairs if each.code == "EXPRESSION_LEFT_OUT"] == [
        "'happy' is there twice",
        "an expression must have a name",
    ]
    assert len(body.expressions) == len(VRM0_SAID["blendShapeMaster"]["blendShapeGroups"])


def test_the_face_moves():
    body = lissom.load(avatar().glb())
    rest = body.skeleton.rest
    still, open_mouth = (
        body.deform(rest, morphs=body.expressions.weights({"aa": weight})) for weight in (0, 1)
    )
    moved = np.abs(open_mouth - still).max(axis=1) > 0
    face_parts = [part for part in body.mesh.parts if part.name.startswith("face")]
    assert moved.sum() == sum(part.vertices.stop - part.vertices.start for part in face_parts)
