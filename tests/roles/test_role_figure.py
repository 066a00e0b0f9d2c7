# SPDX-License-Identifier: MIT
"""The picture of roles: who stands where, labels that can be read, names that cannot do harm."""

import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import samples
from wild_names import WILD

SVG = "{http://www.w3.org/2000/svg}"


def drawn(roles, folder):
    """The elements of the picture, by their tag."""
    root = ET.fromstring(roles.save_svg(folder / "roles.svg").read_text("utf-8"))
    return root, {tag: list(root.iter(SVG + tag)) for tag in ("circle", "text", "path", "title")}


def dots(parts):
    """Places of dots by role, those of the body before those of the hands."""
    found = {}
    for dot in parts["circle"]:
        role = dot.find(SVG + "title").text.split(":")[0]
        found.setdefault(role, (float(dot.get("cx")), float(dot.get("cy"))))
    return found


def leaders(parts):
    """Lines from joints to their labels."""
    paths = [path.get("d") for path in parts["path"] if path.get("stroke-opacity") == ".35"]
    return [[tuple(map(float, end.split())) for end in path[1:].split("L")] for path in paths]


def test_the_body_faces_the_viewer(tmp_path):
    found = lissom.roles(samples.humanoid())
    _, parts = drawn(found, tmp_path)
    place = dots(parts)
    assert set(place) == set(found.joints)
    for role in place:
        if role.startswith("left"):
            assert place[role][0] > place["right" + role[4:]][0]
    downwards = ("head", "neck", "chest", "spine", "hips", "leftLowerLeg", "leftFoot")
    heights = [place[role][1] for role in downwards]
    assert heights == sorted(heights)  # pixels, y down


@pytest.mark.parametrize("degrees", [90, 180, 250])
def test_it_does_so_whichever_way_the_file_looks(tmp_path, degrees):
    hero = samples.humanoid().skeleton
    half = np.radians(degrees) / 2
    turn = np.array([0, np.sin(half), 0, np.cos(half)])
    rest = hero.rest.astype(np.float64).copy()
    (root,) = np.flatnonzero(hero.parents < 0)
    rest[root, :3] = lissom.quat.rotate(turn, rest[root, :3])
    rest[root, 3:7] = lissom.quat.multiply(turn, rest[root, 3:7])
    turned = dots(drawn(lissom.roles(lissom.Skeleton(hero.names, hero.parents, rest)), tmp_path)[1])
    straight = dots(drawn(lissom.roles(hero), tmp_path)[1])
    assert turned.keys() == straight.keys()
    for role, place in straight.items():
        assert turned[role] == pytest.approx(place, abs=0.25)  # pixels, written with one digit


def test_every_joint_has_a_label_and_no_lines_cross(tmp_path):
    paths = ["characters/quaternius/animals_pack/Wolf.glb", "wild/retarget/bvh/10_03.bvh"]
    characters = [samples.humanoid(), *(lissom.load(asset(path)) for path in paths)]
    for character in characters:
        found = lissom.roles(character)
        root, parts = drawn(found, tmp_path)
        width, height = float(root.get("width")), float(root.get("height"))
        words = " ".join("".join(text.itertext()) for text in parts["text"])
        for role, joint in found.joints.items():
            assert f"{role}: {joint}" in words
        lines = leaders(parts)
        rows = {line[1] for line in lines}
        assert len(rows) == len(lines) > 15
        assert min(np.diff(sorted(y for x, y in rows if x == min(rows)[0]))) >= 15  # a line of text apart
        for line in lines:
            for x, y in line:
                assert 0 < x < width
                assert 0 < y < height
        for (a, b), (c, d) in combinations(lines, 2):
            if b[0] == d[0]:  # of one column
                corners = np.array([a, b, c, d])
                assert not crossing(*corners), (a, b, c, d)


def crossing(a, b, c, d):
    """Whether two lines share a point that is an end of neither: both parameters lie within."""
    matrix = np.stack([b - a, c - d], axis=-1)
    if abs(np.linalg.det(matrix)) < 1e-9:
        return False
    s, t = np.linalg.solve(matrix, c - a)
    return 1e-6 < s < 1 - 1e-6 and 1e-6 < t < 1 - 1e-6


def test_animals_look_to_the_left(tmp_path):
    found = lissom.roles(lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb")))
    place = dots(drawn(found, tmp_path)[1])
    assert place["head"][0] < place["leftForeUpperLeg"][0] < place["leftHindUpperLeg"][0] < place["tail"][0]
    assert place["head"][1] < place["hips"][1] < place["leftForeToes"][1]
    assert place["leftForeToes"][1] > place["rightForeToes"][1]  # nearer


def test_what_is_not_certain_is_seen(tmp_path):
    hero = samples.humanoid().skeleton
    kept = [i for i, name in enumerate(hero.names) if name not in ("Head", "Neck")]
    parents = [kept.index(hero.parents[i]) if hero.parents[i] >= 0 else -1 for i in kept]
    names = [f"n{i}" for i in range(len(kept))]
    found = lissom.roles(lissom.Skeleton(names, parents, hero.rest[kept]))
    _, parts = drawn(found, tmp_path)
    assert found.ambiguous
    rings = {dot.find(SVG + "title").text for dot in parts["circle"] if dot.get("fill") == "white"}
    assert rings == {f"{role}: {found[role]} (ambiguous: {why})" for role, why in found.ambiguous.items()}
    lines = ["".join(text.itertext()) for text in parts["text"]]
    for role, why in found.missing.items():
        assert any(line.startswith("missing: ") and role in line and line.endswith(why) for line in lines)
    assert any("leftUpperArm ?" in line for line in lines)
    named = lissom.roles(hero)
    certain = ["".join(text.itertext()) for text in drawn(named, tmp_path)[1]["text"]]
    assert not any("?" in line for line in certain)


def test_names_of_files_stay_text(tmp_path):
    hero = samples.humanoid().skeleton
    names = [f"{WILD}{name}" for name in hero.names]
    skeleton = lissom.Skeleton(names, hero.parents, hero.rest)
    hints = {"hips": names[0], "leftIndexProximal": names[hero.index("Index1.L")]}
    root, parts = drawn(lissom.roles(skeleton, hints), tmp_path)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "g", "path", "circle", "text", "tspan", "title"}
    assert any("</script><script>alert(1)" in title.text for title in parts["title"])


def test_a_skeleton_without_a_body_and_one_of_huge_lengths_are_drawn(tmp_path):
    nothing = lissom.roles(lissom.Skeleton([], [], np.zeros((0, 10))))
    assert ["".join(text.itertext()) for text in drawn(nothing, tmp_path)[1]["text"]] == ["no body found"]
    hero = samples.humanoid().skeleton
    rest = hero.rest.copy()
    rest[:, :3] *= 1e30
    found = lissom.roles(lissom.Skeleton(hero.names, hero.parents, rest))
    for x, y in dots(drawn(found, tmp_path)[1]).values():
        assert 0 <= x <= 830
        assert 0 <= y <= 830


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^Roles\.save_svg: path must end in \.svg, got 'roles\.png'$"):
        lissom.roles(samples.humanoid()).save_svg(tmp_path / "roles.png")
    assert not list(tmp_path.iterdir())
