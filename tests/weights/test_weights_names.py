# SPDX-License-Identifier: MIT
"""Reports and errors call bones by number and joint where a skeleton's bones were given, else by number."""

import json
import pickle

import numpy as np
import pytest

import lissom
from lissom.weights import bones, bounded_biharmonic, heat, inverse_distance
from tet_bars import bar, border
from weight_meshes import capsule

SURFACE = capsule()  # along x from -0.5 to 4.5


def rig(*places, parents=None, **options):
    """Bones of joints at these places, a chain unless parents are given."""
    names = ["Root", "Arm", "Hand", "Tip"][: len(places)]
    above = list(range(-1, len(places) - 1)) if parents is None else parents
    rest = lissom.trs.identity(len(places))
    for joint, parent in enumerate(above):
        rest[joint, :3] = np.subtract(places[joint], places[parent] if parent >= 0 else 0)
    return bones(lissom.Skeleton(names, above, rest), **options)


def test_reports_name_what_is_outside_and_what_moved() -> None:
    made = rig([0, 0, 0], [2, 0, 0], [4, 0, 0], [3, 3, 0], leaf=0)
    handles = made.handles[[0, 1, 3]]
    _, plain = bounded_biharmonic(SURFACE, handles, cells=8, outside="move", report=True)
    _, named = bounded_biharmonic(SURFACE, made, cells=8, outside="move", report=True)
    assert named.handle_names == ("Root", "Arm", "Hand", "Tip")
    assert "handles moved: 3 (Tip) by 2.5" in str(named)
    assert "handles outside: 2 (Hand), 3 (Tip)" in str(named)
    assert plain.handle_names == ()
    assert "handles moved: 2 by 2.5" in str(plain)
    assert "handles outside: 2\n" in str(plain)
    assert json.loads(json.dumps(named.to_dict()))["handle_names"] == list(named.handle_names)
    assert pickle.loads(pickle.dumps(named)).handle_names == named.handle_names


@pytest.mark.parametrize("method", [heat, inverse_distance])
def test_every_method_says_whose_handles_they_are(method) -> None:
    made = rig([0, 0, 0], [2, 0, 0], [4, 0, 0], [2, 0.2, 0], parents=[-1, 0, 1, 1], exclude="Tip")
    assert method(SURFACE, made, report=True)[1].handle_names == ("Root", "Arm", "Hand")
    assert method(SURFACE, made.handles, report=True)[1].handle_names == ()


def test_notes_name_bones_that_are_short_of_nodes() -> None:
    near = rig([0, 0, 0], [2, 0, 0], [3.1, 0.02, 0], [3.12, 0.02, 0], leaf_length=0.01)
    _, report = bounded_biharmonic(SURFACE, near, cells=6, report=True)
    assert report.notes == ("bones with no node nearest to them, which got one each: 2 (Hand)",)
    crowd = rig(*np.linspace([1, 0, 0], [1.03, 0, 0], 4))
    _, report = bounded_biharmonic(SURFACE, crowd, cells=6, report=True)
    assert report.notes == ("bones that share all their nodes with others: 1 (Arm), 2 (Hand)",)


def test_errors_of_the_lattice_name_bones() -> None:
    far = rig([0, 0, 0], [3, 0, 0], [3, 3, 0], leaf=0)
    with pytest.raises(ValueError, match=r"got 1 outside: 2 \(Hand\) by 2\.\d+; leave them out"):
        bounded_biharmonic(SURFACE, far, cells=8)
    close = rig([1, 0, 0], [1.01, 0, 0], [1.02, 0, 0], parents=[-1, -1, -1])
    with pytest.raises(ValueError, match=r"handles 0 \(Root\) and 1 \(Arm\) hold the same node"):
        bounded_biharmonic(SURFACE, close, cells=8)


def test_errors_of_tetrahedra_and_cages_name_bones() -> None:
    nodes, tets = bar(2, 2, 8)
    surface = nodes, border(tets)
    volume = {"tetrahedra": (nodes, tets)}
    with pytest.raises(ValueError, match=r"handle 0 \(Root\) is a bone without a node of tetrahedra within"):
        bounded_biharmonic(surface, rig([0.5, 0.3, 0.2], [0.5, 0.3, 4.2], leaf=0), **volume)
    twice = rig([1, 1, 0], [1, 1, 0], [1, 1, 8], parents=[-1, -1, -1])
    with pytest.raises(
        ValueError, match=r"handle [01] \((Root|Arm)\) must have a node of tetrahedra of its own"
    ):
        bounded_biharmonic(surface, twice, **volume)
    short = rig([1, 1, 0], [1, 1, 1], [1, 1, 0], [1, 1, 1], parents=[-1, 0, -1, -1], exclude=[])
    with pytest.raises(
        ValueError, match=r"handle 0 \(Root\) holds no node: points hold all nodes of this bone"
    ):
        bounded_biharmonic(surface, short, **volume)
    with pytest.raises(
        ValueError, match=r"cage_faces must join point handles, got bone 0 \(Root\) in face 0"
    ):
        bounded_biharmonic(surface, rig([1, 1, 0], [1, 1, 8], [0, 1, 8]), cage_faces=[[0, 1, 2]], **volume)
