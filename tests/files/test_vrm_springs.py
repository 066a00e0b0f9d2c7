# SPDX-License-Identifier: MIT
"""Springs that VRM files state: read as they are meant, or left out with a record."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import SpringCollider, Springs
from vrm_files import NODES, VRM0, VRM1, vrm_text


@pytest.fixture
def load(tmp_path):
    def load(extension, said, nodes=NODES):
        path = tmp_path / "a.gltf"
        path.write_text(vrm_text({extension: said}, nodes))
        return lissom.load(path)

    return load


def changed(said, *path, **members):
    """A copy with members of one of its objects changed."""
    result = copy.deepcopy(said)
    inner = result
    for key in path:
        inner = inner[key]
    inner.update(members)
    return result


def test_chains_of_vrm_1_have_the_numbers_of_the_file(load):
    body = load("VRMC_springBone", VRM1)
    assert not body.repairs
    hair, fringe, side, tail, skirt = Springs(body).chains
    assert hair.joints == ("hair.1", "hair.2", "hair.3")
    assert hair.end == 0
    assert hair.stiffness == (0.6, 0.6)
    assert hair.drag == (0.2, 0.2)
    assert hair.radius == (0.02, 0.02)
    assert hair.gravity == ((0, -0.4, 0),) * 2
    assert fringe.gravity == ((0.1, -0.1, 0),) * 2
    assert side.stiffness == (0.3, 0.3)
    assert side.gravity == ((0, 0, 0),) * 2
    assert side.radius == (0, 0)
    assert (hair.center, side.center, tail.center) == (None, "head", "hips")
    assert skirt.colliders == (SpringCollider.capsule("leg", 0.12, tail=(0, -0.4, 0)),)
    # Where there is an extended shape, the other is for players that do not know it.
    assert hair.colliders == (
        SpringCollider.sphere("head", 0.14, offset=(0, 0.1, 0)),
        SpringCollider.sphere("head", 0.22, offset=(0, 0, -0.1), inside=True),
    )
    assert tail.colliders == (SpringCollider.plane("hips", normal=(0, 1, 0), offset=(0, -0.3, 0)),)
    assert fringe.colliders[0] == SpringCollider.capsule(
        "head", 0.1, offset=(0, 0.3, 0.1), tail=(0, 0, 0.1), inside=True
    )


def test_what_vrm_1_leaves_out_is_as_its_schema_says(load):
    said = {"specVersion": "1.0", "springs": [{"joints": [{"node": 4}, {"node": 5}]}]}
    (chain,) = Springs(load("VRMC_springBone", said)).chains
    assert (chain.stiffness, chain.drag, chain.gravity, chain.radius) == ((1,), (0.5,), ((0, 0, 0),), (0,))


def test_chains_of_vrm_0_are_all_lines_below_its_roots(load):
    nodes = copy.deepcopy(NODES)
    nodes[5]["children"] = [6, len(nodes)]
    nodes.append({"name": "strand", "translation": [0.1, 0, 0]})
    body = load("VRM", VRM0, nodes)
    chains = {chain.joints: chain for chain in Springs(body).chains}
    assert list(chains)[:2] == [("hair.1", "hair.2", "hair.3"), ("strand",)]
    hair, tail = chains["hair.1", "hair.2", "hair.3"], chains["tail.1", "tail.2", "tail.3", "tail.4"]
    assert hair.end == 0.07
    assert len(hair.stiffness) == 3
    assert hair.center is None
    assert tail.center == "hips"
    assert tail.stiffness[0] == 0.7
    assert tail.gravity[0] == (0.1, -0.2, 0)
    # Offsets are Unity's, whose z is the other way round.
    assert hair.colliders == (SpringCollider.sphere("head", 0.15, offset=(0, 0.1, 0.05)),)


def test_springs_belong_to_the_skeleton(load):
    body = load("VRMC_springBone", VRM1)
    again = pickle.loads(pickle.dumps(body.skeleton))
    assert Springs(again).chains == Springs(body).chains


FIRST = VRM1["springs"][0]
FAULTS = {
    "a joint of the chain is in a later one, too": changed(VRM1, springs=[FIRST, FIRST]),
    "the index must be below 23, the number of nodes, got 99": changed(
        VRM1, "springs", 0, joints=[{"node": 4}, {"node": 99}]
    ),
    "the index must be below 4, the number of colliders or their groups, got 7": changed(
        VRM1, "springs", 0, colliderGroups=[0, 7]
    ),
    "the index must be below 23, the number of nodes, got -1": changed(VRM1, "colliders", 0, node=-1),
    "the collider has no shape that is known": changed(VRM1, "colliders", 0, shape={"box": {}}),
    "radius must be at most 1e+09 and at least 0, got -2.0": changed(
        VRM1, "colliders", 0, shape={"sphere": {"radius": -2.0}}
    ),
    "'head' must be a descendant of 'hair.1', the one before it": changed(
        VRM1, "springs", 0, joints=[{"node": 4}, {"node": 3}]
    ),
    "joints must not repeat, got 'hair.1' twice": changed(
        VRM1, "springs", 0, joints=[{"node": 4}, {"node": 4}]
    ),
    "its center is not above it; motion is measured in the world's space": changed(
        VRM1, "springs", 0, center=21
    ),
    "a collider on 'hair.2' moves with it": changed(VRM1, "colliders", 0, node=5),
    "stiffness, drag, gravity or radius is out of range; the nearest is taken": changed(
        VRM1, "springs", 0, "joints", 0, dragForce=7, stiffness=-1
    ),
    "the springs cannot be read: Expected `array`, got `int`": changed(VRM1, springs=7),
}


@pytest.mark.parametrize("says", FAULTS)
def test_what_cannot_be_is_left_out_with_a_record(load, says):
    body = load("VRMC_springBone", FAULTS[says])
    assert {repair.code for repair in body.repairs} == {"SPRINGS_LEFT_OUT"}
    assert any(repair.message.startswith(says) for repair in body.repairs), body.repairs
    if not says.startswith("the springs cannot be read"):
        springs = Springs(body)  # the rest is there
        assert len(springs.chains) in (4, 5, 1)
        for _ in range(3):
            pose = springs.step(body.skeleton.rest, 1 / 60)
        assert np.isfinite(pose).all()


def test_the_last_of_two_chains_turns_a_joint(load):
    """As in three-vrm, where both run and the last one writes."""
    other = {**FIRST, "joints": [{**joint, "stiffness": 3.0} for joint in FIRST["joints"]]}
    springs = Springs(load("VRMC_springBone", changed(VRM1, springs=[FIRST, other])))
    assert [chain.stiffness for chain in springs.chains] == [(3.0, 3.0)]


def test_groups_and_colliders_that_are_named_twice_are_met_once(load):
    said = changed(VRM1, "springs", 0, colliderGroups=[0, 0])
    said["colliderGroups"][0]["colliders"] = [0, 0, 2]
    assert len(Springs(load("VRMC_springBone", said)).chains[0].colliders) == 2


def test_a_real_avatar_swings():
    body = lissom.load(asset("wild/vrm/Godette_vrm_v4.vrm"))
    springs = Springs(body)
    assert len(springs.chains) == 8
    assert len(springs.joints) == 16
    pose = body.skeleton.rest.copy()
    springs.step(pose, 0)
    pose[0, 0] += 0.1
    moved = springs.step(pose, 1 / 60)
    assert lissom.quat.angle_between(moved[springs.joints, 3:7], pose[springs.joints, 3:7]).min() > 1e-3
    with pytest.raises(ValueError, match="says nothing of springs"):
        Springs(lissom.load(asset("wild/vrm/sphere.vrm")))
