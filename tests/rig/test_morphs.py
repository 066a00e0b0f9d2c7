# SPDX-License-Identifier: MIT
"""Morphs: what they keep and refuse, names, weights, and what becomes of them with their mesh."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import Morphs

NAMES = ["head/smile", "head/blink", "teeth/smile"]
UNITS = np.eye(3, dtype=np.float32)


def three() -> Morphs:
    """Targets of two, no and one row."""
    return Morphs(NAMES, [0, 2, 2, 3], [1, 4, 0], UNITS, normals=2 * UNITS, defaults=[0, 0.25, 0])


def dense(morphs: Morphs, vertex_count: int, name: str = "positions") -> np.ndarray:
    shapes = np.zeros((len(morphs), vertex_count, 3), np.float32)
    for number in range(len(morphs)):
        rows = morphs.rows(number)
        shapes[number, morphs.vertices[rows]] = getattr(morphs, name)[rows]
    return shapes


def test_arrays_have_their_types_and_are_read_only() -> None:
    morphs = three()
    assert (morphs.offsets.dtype, morphs.vertices.dtype) == (np.int64, np.uint32)
    for name in ("offsets", "vertices", "positions", "normals", "defaults"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(morphs, name)[0] = 0
    assert morphs.tangents is None
    with pytest.raises(AttributeError, match=r"Morphs\.names cannot be set; make new Morphs"):
        morphs.names = ()
    with pytest.raises(AttributeError, match=r"Morphs\.names cannot be deleted"):
        del morphs.names
    assert repr(morphs) == "Morphs(3 targets, 3 rows, normals)"


def test_memory_is_that_of_the_rows() -> None:
    rng = np.random.default_rng(1)
    shapes = np.zeros((52, 20_000, 3), np.float32)
    for shape in shapes:
        shape[rng.choice(20_000, 1000, replace=False)] = rng.normal(size=(1000, 3))
    morphs = Morphs.from_dense([f"shape {number}" for number in range(52)], shapes, shapes)
    arrays = (morphs.offsets, morphs.vertices, morphs.positions, morphs.normals)
    moving = np.count_nonzero(shapes.any(axis=2))
    assert sum(array.nbytes for array in arrays) < 1.001 * (4 + 12 + 12) * moving
    np.testing.assert_array_equal(dense(morphs, 20_000), shapes)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_are_equal(way) -> None:
    morphs = three()
    other = way(morphs)
    assert other.names == morphs.names
    for name in ("offsets", "vertices", "positions", "normals", "defaults"):
        np.testing.assert_array_equal(getattr(other, name), getattr(morphs, name))


def test_names_mean_one_target_or_all_that_share_them() -> None:
    morphs = three()
    assert morphs.index("head/smile") == 0
    assert morphs.index("blink") == 1
    assert morphs.find("smile").tolist() == [0, 2]
    assert morphs.find("frown").tolist() == []
    with pytest.raises(
        ValueError,
        match=r"^Morphs\.index: name must mean one target, got 'smile', which 2 nodes share; "
        r"pass 'head/smile' or 'teeth/smile', or use find$",
    ):
        morphs.index("smile")
    with pytest.raises(
        ValueError, match=r"^Morphs\.index: no morph target is named 'blnk'; did you mean 'blink'"
    ):
        morphs.index("blnk")
    slashes = Morphs(["a/b/c", "b/c", "c"], [0, 0, 0, 0], [], [])
    assert [slashes.find(name).tolist() for name in ("b/c", "c", "a/b/c")] == [[1], [2], [0]]
    many = Morphs(["/" * 100_000 + "x"], [0, 1], [0], np.ones((1, 3)))  # short names of 5 GB, all told
    assert (many.find("x").size, many.find("/" * 99_990 + "x").size) == (0, 1)


def test_weights_by_name() -> None:
    morphs = three()
    np.testing.assert_array_equal(morphs.weights({}), [0, 0.25, 0])
    np.testing.assert_array_equal(morphs.weights({"smile": 0.5, "head/smile": 1}), [1, 0.25, 0.5])
    np.testing.assert_array_equal(morphs.weights({"blink": -1}, base=[3, 3, 3]), [3, -1, 3])
    both = morphs.weights({"blink": [[0], [1]], "teeth/smile": [5, 6, 7]})
    assert both.shape == (2, 3, 3)
    np.testing.assert_array_equal(both[1, 2], [0, 1, 7])
    with pytest.raises(ValueError, match=r"^Morphs\.weights: no morph target is named 'grin'; there are"):
        morphs.weights({"grin": 1})
    with pytest.raises(ValueError, match=r"^Morphs\.weights: values\['blink'\] must be finite, got nan"):
        morphs.weights({"blink": np.nan})
    with pytest.raises(ValueError, match=r"^Morphs\.weights: base must have shape \(\.\.\., 3\), got \(2,\)"):
        morphs.weights({}, base=[0, 0])
    with pytest.raises(ValueError, match=r"^Morphs\.weights: values must broadcast .* got \(2,\), \(3,\)"):
        morphs.weights({"blink": [0, 1], "smile": [1, 2, 3]})
    with pytest.raises(
        TypeError, match=r"^Morphs\.weights: values must be a mapping of name to weight, got list"
    ):
        morphs.weights([1, 2, 3])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"names": "abc"}, TypeError, "names must be a sequence of str, got str"),
        ({"names": [1, 2, 3]}, TypeError, "names must be a sequence of str, got int in it"),
        ({"names": ["a", "a", "b"]}, ValueError, "names must be different and not empty, got 'a'; rename it"),
        ({"names": ["a", "", "b"]}, ValueError, "names must be different and not empty, got ''; rename it"),
        (
            {"offsets": [0, 2, 3]},
            ValueError,
            "offsets must have shape (4,), one more than the names, got (3,)",
        ),
        ({"offsets": [0, 2, 1, 3]}, ValueError, "offsets must rise from 0 to 3, the number of rows, got"),
        ({"offsets": [1, 2, 2, 3]}, ValueError, "offsets must rise from 0 to 3, the number of rows, got"),
        ({"offsets": [0, 2, 2, 4]}, ValueError, "offsets must rise from 0 to 3, the number of rows, got"),
        ({"offsets": [0.0, 2, 2, 3]}, TypeError, "offsets must be an array of integers, got float64"),
        ({"vertices": [1, -4, 0]}, ValueError, "vertices must be from 0 to 4294967295, got -4"),
        ({"vertices": [[1], [4], [0]]}, ValueError, "vertices must have one axis, got shape (3, 1)"),
        (
            {"vertices": [4, 4, 0]},
            ValueError,
            "vertices must increase within a target, got 4, then 4 in 'head/smile'; sort the rows",
        ),
        (
            {"positions": UNITS[:2]},
            ValueError,
            "positions must have shape (3, 3), a row for each of vertices",
        ),
        (
            {"normals": np.ones((3, 4))},
            ValueError,
            "normals must have shape (3, 3), a row for each of vertices",
        ),
        (
            {"tangents": [[np.nan] * 3] * 3},
            ValueError,
            "tangents must be finite in float32, got [nan, nan, nan]",
        ),
        (
            {"positions": [[1e300] * 3] * 3},
            ValueError,
            "positions must be finite in float32, got [inf, inf, inf]",
        ),
        ({"positions": None}, TypeError, "positions must be an array of numbers, got None"),
        ({"positions": [["a"] * 3] * 3}, TypeError, "positions must be an array of real numbers"),
        ({"defaults": [1, 2]}, ValueError, "defaults must have shape (3,), got (2,)"),
        ({"defaults": [1, 2, np.inf]}, ValueError, "defaults must be finite, got inf"),
    ],
)
def test_what_is_refused(change: dict, error: type[Exception], message: str) -> None:
    arguments = {"names": NAMES, "offsets": [0, 2, 2, 3], "vertices": [1, 4, 0], "positions": UNITS}
    with pytest.raises(error) as caught:
        Morphs(**(arguments | change))
    assert str(caught.value).startswith(f"Morphs: {message}")


def test_dense_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^Morphs\.from_dense: positions must have shape \(1, V, 3\), got \(5, 3\)"
    ):
        Morphs.from_dense(["a"], np.zeros((5, 3)))
    with pytest.raises(
        ValueError,
        match=r"^Morphs\.from_dense: normals must have shape \(1, 5, 3\), as positions, got \(1, 4, 3\)",
    ):
        Morphs.from_dense(["a"], np.zeros((1, 5, 3)), np.zeros((1, 4, 3)))
    with pytest.raises(ValueError, match=r"^Morphs: positions must be finite"):
        Morphs.from_dense(["a"], [[[0, 0, np.nan]]])
    with pytest.raises(ValueError, match=r"^Morphs\.rows: target must be in \[0, 3\), got 3"):
        three().rows(3)
    with pytest.raises(TypeError, match=r"^Morphs\.rows: target must be a whole number, got float$"):
        three().rows(1.5)


def test_a_mesh_refuses_targets_of_other_vertices() -> None:
    corners = np.zeros((4, 3))
    with pytest.raises(
        ValueError, match=r"^Mesh: morphs must move vertices in \[0, 4\), got 4 in 'head/smile'$"
    ):
        lissom.Mesh(corners, [], morphs=three())
    with pytest.raises(TypeError, match=r"^Mesh: morphs must be lissom\.Morphs or None, got dict$"):
        lissom.Mesh(corners, [], morphs={})
    assert "3 morphs" in repr(lissom.Mesh(np.zeros((5, 3)), [], morphs=three()))


def faced(seed: int = 3) -> tuple[lissom.Character, np.ndarray]:
    """The sample person with three random targets, and those as shapes."""
    hero = lissom.samples.humanoid()
    rng = np.random.default_rng(seed)
    count = hero.mesh.vertex_count
    shapes = rng.normal(size=(3, count, 3)).astype(np.float32) * (rng.random((3, count, 1)) < 0.1)
    fields = hero.mesh.__reduce__()[1][0]
    mesh = lissom.Mesh(**(fields | {"morphs": Morphs.from_dense(NAMES, shapes)}))
    return lissom.Character("hero", hero.skeleton, mesh, hero.skin, hero.clips), shapes


def test_targets_go_with_their_vertices() -> None:
    hero, shapes = faced()
    mesh = hero.mesh
    rebound = mesh.with_weights(mesh.indices, mesh.weights)
    assert rebound.morphs is mesh.morphs
    copied = pickle.loads(pickle.dumps(mesh))
    np.testing.assert_array_equal(dense(copied.morphs, mesh.vertex_count), shapes)
    prepared = mesh.prepare()
    np.testing.assert_array_equal(dense(prepared.mesh.morphs, mesh.vertex_count), shapes[:, prepared.order])
    assert pickle.loads(pickle.dumps(prepared)).mesh.morphs.names == mesh.morphs.names


def test_targets_of_parts_taken_out_go_with_them_and_keep_their_place() -> None:
    hero, shapes = faced()
    parts = [part for part in hero.mesh.parts if part.name not in ("Skin", "Hair")]
    fewer = hero.without("Skin", "Hair")
    kept = np.concatenate([np.arange(part.vertices.start, part.vertices.stop) for part in parts])
    assert fewer.mesh.morphs.names == hero.mesh.morphs.names  # weights of clips still fit
    np.testing.assert_array_equal(dense(fewer.mesh.morphs, len(kept)), shapes[:, kept])
    last = hero.mesh.parts[-1]
    bald = Morphs(["skin/smile"], [0, 1], [0], [[1, 2, 3]])
    fields = hero.mesh.__reduce__()[1][0]
    mesh = lissom.Mesh(**(fields | {"morphs": bald}))
    alone = lissom.Character("hero", hero.skeleton, mesh, hero.skin).only(last.name).mesh.morphs
    assert (alone.names, len(alone.vertices)) == (("skin/smile",), 0)


def test_levels_of_detail_carry_targets() -> None:
    pytest.importorskip("fast_simplification")
    hero, _ = faced()
    lift = np.where(hero.mesh.positions[:, 1:2] > 1.4, [0, 0.1, 0], 0)
    fields = hero.mesh.__reduce__()[1][0]
    mesh = lissom.Mesh(**(fields | {"morphs": Morphs.from_dense(["taller"], lift[None])}))
    (level,) = lissom.gpu.levels_of_detail(mesh, [0.3])
    moved = level.positions + dense(level.morphs, level.vertex_count)[0]
    high = level.positions[:, 1] > 1.45
    np.testing.assert_allclose(
        moved[high] - level.positions[high], np.tile([0, 0.1, 0], (high.sum(), 1)), atol=1e-6
    )
    low = level.positions[:, 1] < 1.35
    np.testing.assert_array_equal(moved[low], level.positions[low])
    # Corners of one place move alike, so nothing tears where the level is split.
    _, place = np.unique(level.positions, axis=0, return_inverse=True)
    for axis in range(3):
        low_end, high_end = np.full(place.max() + 1, np.inf), np.full(place.max() + 1, -np.inf)
        np.minimum.at(low_end, place.reshape(-1), moved[:, axis])
        np.maximum.at(high_end, place.reshape(-1), moved[:, axis])
        np.testing.assert_array_equal(low_end, high_end)
