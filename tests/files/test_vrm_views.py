# SPDX-License-Identifier: MIT
"""What characters see of themselves: as three-vrm has it."""

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset
from glb_contents import contents, rewritten
from vrm_avatars import BODY, FACE, GLOVE, HAT, VRM0_SAID, VRM1_SAID, avatar
from vrm_node import NEEDS_NODE, three_vrm

VIEWS = [(FACE, "both"), (BODY, "auto"), (HAT, "auto"), (GLOVE, "firstPersonOnly")]


def of_nodes(*annotations):
    listed = [{"node": node, "type": view} for node, view in annotations]
    return {"firstPerson": {"meshAnnotations": listed}}


def of_meshes(**flags):
    names = ("face", "body", "hat", "glove")
    listed = [{"mesh": names.index(name), "firstPersonFlag": flag} for name, flag in flags.items()]
    return {"firstPerson": VRM0_SAID["firstPerson"] | {"meshAnnotations": listed}}


FILES = {
    "nothing said": lambda: avatar(1).glb(),
    "no first person": lambda: rewritten(
        avatar(1).glb(), lambda root: root["extensions"]["VRMC_vrm"].pop("firstPerson")
    ),
    "all kinds": lambda: avatar(1, said=of_nodes(*VIEWS)).glb(),
    "a hat that others see": lambda: avatar(1, said=of_nodes((HAT, "thirdPersonOnly"), (FACE, "auto"))).glb(),
    "vrm0": lambda: avatar(0).glb(),
    "all kinds of vrm0": lambda: avatar(
        0, said=of_meshes(face="ThirdPersonOnly", body="Both", hat="Auto", glove="FirstPersonOnly")
    ).glb(),
}
WILD = "wild/vrm/Godette_vrm_v4.vrm"


def without_pictures(root):
    for key in ("materials", "textures", "images", "samplers"):
        root.pop(key, None)
    for mesh in root["meshes"]:
        for primitive in mesh["primitives"]:
            primitive.pop("material", None)


def corners(mesh, part):
    """Places of the corners of all triangles of a part, sorted."""
    return np.sort(mesh.positions[mesh.triangles[part.triangles]].reshape(-1, 9), axis=0)


@pytest.mark.tree
@NEEDS_NODE[1]
@NEEDS_NODE[2]
def test_triangles_are_those_that_three_vrm_shows(tmp_path):
    data = {name: make() for name, make in FILES.items()}
    if (ASSETS / WILD).is_file():
        data["wild"] = (ASSETS / WILD).read_bytes()
    tasks = []
    for number, glb in enumerate(data.values()):
        (tmp_path / f"{number}.glb").write_bytes(rewritten(glb, without_pictures))
        tasks.append({"file": str(tmp_path / f"{number}.glb"), "views": True})
    for (name, glb), answer in zip(data.items(), three_vrm(tasks), strict=True):
        body = lissom.load(glb)
        nodes = contents(glb)["nodes"]
        for key, character in (("first", body.first_person()), ("third", body.third_person())):
            for node, primitives in answer[key].items():
                own = [
                    part for part in body.mesh.parts if part.name.split("/")[0] == nodes[int(node)]["name"]
                ]
                assert len(own) == len(primitives)
                for part, indices in zip(own, primitives, strict=True):
                    places = body.mesh.positions[np.array(indices, int) + part.vertices.start].reshape(-1, 9)
                    kept = [each for each in character.mesh.parts if each.name == part.name]
                    assert len(kept) == (len(indices) > 0), (name, key, part.name)
                    if kept:
                        got = corners(character.mesh, kept[0])
                        np.testing.assert_array_equal(got, np.sort(places, axis=0), (name, key, part.name))


def test_views_are_those_of_the_file():
    body = lissom.load(avatar(1, said=of_nodes(*VIEWS)).glb())
    views = {part.name.split("/")[0]: part.view for part in body.mesh.parts}
    assert views == {"face": "both", "body": "auto", "hat": "auto", "glove": "firstPersonOnly"}
    assert all(part.view == "auto" for part in lissom.samples.humanoid().mesh.parts)


def test_what_follows_the_head_is_left_out():
    body = lissom.load(avatar().glb())
    own = body.first_person()
    assert {part.name.split("/")[0] for part in own.mesh.parts} == {"body", "glove"}
    head = body.skeleton.index("head")
    rows = np.array([body.skeleton.is_in_hierarchy(int(joint), head) for joint in body.skin.joints])
    assert not (rows[own.mesh.indices] & (own.mesh.weights > 0)).any()
    assert np.unique(own.mesh.triangles).size == own.mesh.vertex_count
    poses = np.tile(body.skeleton.rest, (2, 1, 1))
    places = {tuple(place) for place in body.deform(poses)[1].tolist()}
    assert {tuple(place) for place in own.deform(poses)[1].tolist()} <= places
    assert len(own.mesh.morphs) == len(body.mesh.morphs)
    assert own.expressions.names == body.expressions.names


def test_any_rig_sees_itself():
    hero = lissom.samples.humanoid()
    hero.blend = np.linspace(0, 1, hero.mesh.vertex_count)
    own = hero.first_person("Head")
    assert own.mesh.bounds[1, 1] < hero.mesh.bounds[1, 1] - 0.1
    assert own.blend.shape == (own.mesh.vertex_count,)
    positions = {
        tuple(place): blend for place, blend in zip(hero.mesh.positions.tolist(), hero.blend, strict=True)
    }
    shares = [
        abs(positions[tuple(p)] - b) for p, b in zip(own.mesh.positions.tolist(), own.blend, strict=True)
    ]
    assert np.median(shares) == 0
    prepared = hero.prepared().first_person("Head")
    assert prepared.prepared_mesh is not None
    assert prepared.mesh.vertex_count == own.mesh.vertex_count
    found = hero.first_person()  # the head that roles find
    np.testing.assert_array_equal(found.mesh.positions, own.mesh.positions)
    with pytest.raises(ValueError, match=r"^Character.first_person: head must be named, as no joint is one"):
        lissom.samples.twisted_bar().first_person()
    with pytest.raises(ValueError, match=r"^Character.first_person: head: no joint is named 'hed'"):
        hero.first_person("hed")
    with pytest.raises(ValueError, match=r"no part would be left"):
        hero.first_person("Pelvis")
    bones = lissom.Character("bones", hero.skeleton, None, None)
    assert bones.first_person("Head").mesh is None
    assert bones.third_person().mesh is None


def test_wrong_views_are_refused():
    with pytest.raises(
        ValueError, match=r"^Part: view must be one of auto, both, firstPersonOnly, thirdPersonOnly"
    ):
        lissom.Part("a", slice(0, 1), slice(0, 1), view="me")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"firstPerson": 3}, "what the character sees of itself cannot be read"),
        ({"firstPerson": {"meshAnnotations": [{"node": "x"}]}}, "what the character sees of itself cannot"),
        (of_nodes((999, "auto")), "an annotation must be of a node with a mesh, got 999"),
        (of_nodes((-1, "auto")), "an annotation must be of a node with a mesh, got -1"),
        (of_nodes((0, "auto")), "an annotation must be of a node with a mesh, got 0"),
        (of_nodes((FACE, "nobody")), "a view must be one of auto, both, firstPersonOnly, thirdPersonOnly"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_left_out(said, message):
    body = lissom.load(avatar(1, said=said).glb())
    (repair,) = [each for each in body.repairs if each.code == "FIRST_PERSON_LEFT_OUT"]
    assert repair.message.startswith(message)
    assert all(part.view == "auto" for part in body.mesh.parts)
    assert VRM1_SAID


def test_the_wild_one_loses_its_head():
    body = lissom.load(asset(WILD))
    own = body.first_person()
    assert 0 < own.mesh.vertex_count < body.mesh.vertex_count
