# SPDX-License-Identifier: MIT
"""Rays onto triangles: beside a twin that tests them all, by laws, and at the edges of what meshes are."""

import itertools
import threading

import numpy as np
import pytest

import lissom
from lissom.ground import HeightField, Plane, TriangleMesh
from reference import ray_caster

DOWN = (0.0, -1.0, 0.0)

# Of the size of mesh and rays: two methods of a few products each, in float64.
EXACT = 1e-12
TYPES = (np.float32, np.float64)


def seeded(seed=0):
    return np.random.default_rng(seed)


def soup(rng, count, size=0.3):
    """Make triangles anywhere in a cube, some of them slivers."""
    middles = rng.uniform(-1, 1, (count, 1, 3))
    corners = middles + rng.normal(size=(count, 3, 3)) * size * rng.uniform(0, 1, (count, 1, 1)) ** 3
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def aimed(rng, count, positions, triangles, spread=3.0):
    """Make rays towards triangles, a tenth of them from anywhere to anywhere."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    size = np.linalg.norm(high - low)
    origins = (low + high) / 2 + rng.normal(size=(count, 3)) * size * spread
    weights = rng.dirichlet((1, 1, 1), count)
    corners = positions[triangles[rng.integers(len(triangles), size=count)]]
    ways = np.einsum("nk,nki->ni", weights, corners) - origins
    ways[::10] = rng.normal(size=ways[::10].shape)
    return origins, ways * rng.lognormal(size=(count, 1))


def icosphere(times=2):
    """Make a closed mesh whose vertices are shared."""
    g = (1 + 5**0.5) / 2
    points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g]]
    points += [[0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]]
    faces = "0 11 5 0 5 1 0 1 7 0 7 10 0 10 11 1 5 9 5 11 4 11 10 2 10 7 6 7 1 8"
    faces += " 3 9 4 3 4 2 3 2 6 3 6 8 3 8 9 4 9 5 2 4 11 6 2 10 8 6 7 9 8 1"
    positions = np.array(points) / np.sqrt(1 + g * g)
    triangles = np.array(faces.split(), int).reshape(-1, 3)
    for _ in range(times):
        sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]], axis=-1).reshape(-1, 2)
        edges, of = np.unique(sides, axis=0, return_inverse=True)
        middles = positions[edges].sum(axis=1)
        middles /= np.linalg.norm(middles, axis=1, keepdims=True)
        ab, bc, ca = (len(positions) + of.reshape(-1, 3)).T
        a, b, c = triangles.T
        positions = np.concatenate([positions, middles])
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(part, axis=1) for part in parts])
    return positions, triangles


def compared(positions, triangles, origins, ways, least=0.3):
    """Compare with the twin, except for rays that graze a side, where rounding may have it either way."""
    hits = TriangleMesh(positions, triangles).cast(origins, ways)
    distances, normals, which, margins = ray_caster.cast(positions, triangles, origins, ways)
    clear = margins > ray_caster.MARGIN
    assert clear.mean() > 0.95
    size = np.abs(origins).max() + np.abs(positions).max()
    assert (hits.triangles[clear] == which[clear]).all()
    found = clear & (which >= 0)
    assert found.sum() > least * len(ways)
    units = ways[found] / np.linalg.norm(ways[found], axis=1, keepdims=True)
    # The flatter a ray meets a triangle, the farther a rounded corner moves the place.
    slack = EXACT * size / np.abs(np.einsum("ij,ij->i", normals[found], units))
    assert (np.abs(hits.distances[found] - distances[found]) <= slack).all()
    assert np.isinf(hits.distances[clear & ~found]).all()
    np.testing.assert_allclose(
        hits.normals[found], normals[found], atol=1e-7
    )  # slivers turn with the last bit
    assert not hits.normals[clear & ~found].any()
    corners = np.asarray(positions, np.float64)[triangles[hits.triangles[found]]]
    places = origins[found] + hits.distances[found, None] * units
    met = np.einsum("nk,nki->ni", hits.weights[found], corners)
    assert (np.abs(met - places).max(axis=1) <= slack).all()
    return hits


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("count", [1, 3, 4, 5, 33, 700])
def test_random_triangles_as_the_twin_has_them(count, dtype):
    rng = seeded(count)
    positions, triangles = soup(rng, count)
    positions = positions.astype(dtype)
    compared(positions, triangles, *aimed(rng, 1500, positions.astype(float), triangles))


@pytest.mark.parametrize("name", ["spot_low_resolution.obj", "wingnut.obj", "scorpion_low_resolution.obj"])
def test_real_meshes_as_the_twin_has_them(name, asset):
    lines = [line.split() for line in asset(f"meshes/{name}").read_text().splitlines()]
    positions = np.array([line[1:4] for line in lines if line[:1] == ["v"]], float)
    faces = [[int(word.split("/")[0]) - 1 for word in line[1:]] for line in lines if line[:1] == ["f"]]
    triangles = np.array([[face[0], *side] for face in faces for side in itertools.pairwise(face[1:])])
    compared(positions, triangles, *aimed(seeded(), 400, positions, triangles))


def test_a_character_as_the_twin_has_it():
    mesh = lissom.samples.humanoid().mesh
    rays = aimed(seeded(), 300, mesh.positions.astype(float), mesh.triangles)
    compared(mesh.positions, mesh.triangles, *rays)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_rays_along_the_axes_as_the_twin_has_them(axis, sign):
    """Their directions have zeros, of either sign."""
    rng = seeded(axis)
    positions, triangles = soup(rng, 300, 0.8)
    origins = rng.uniform(-0.9, 0.9, (1000, 3))
    origins[:, axis] = -3 * sign
    ways = np.zeros((1000, 3))
    ways[::2] *= -1
    ways[:, axis] = sign
    compared(positions, triangles, origins, ways, least=0.1)


def test_rays_from_inside_a_closed_mesh_always_hit():
    positions, triangles = icosphere()
    rng = seeded()
    ways = rng.normal(size=(20_000, 3))
    hits = TriangleMesh(positions, triangles).cast(rng.uniform(-0.4, 0.4, (20_000, 3)), ways)
    assert np.isfinite(hits.distances).all()
    assert (np.einsum("ij,ij->i", hits.normals, ways) < 0).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("moved", [0.0, 1e6])
def test_no_ray_slips_through_an_edge_or_a_vertex(dtype, moved):
    """Aimed at the bits of vertices and at middles of edges, from inside and outside, at whatever angle."""
    positions, triangles = icosphere(3)
    positions = (positions * 3 + moved).astype(dtype)
    mesh = TriangleMesh(positions, triangles)
    corners = positions.astype(float)[triangles]
    edges = (corners + np.roll(corners, 1, axis=1)) / 2
    rng = seeded()
    for targets in (corners.reshape(-1, 3), edges.reshape(-1, 3)):
        origins = moved + rng.uniform(-1, 1, targets.shape)
        distances, _ = mesh(origins, targets - origins)
        assert np.isfinite(distances).all()
        lengths = np.linalg.norm(targets - origins, axis=1)
        # A curved mesh seen from inside: nothing is in front. Targets are rounded by up to an ulp.
        np.testing.assert_allclose(distances, lengths, rtol=0, atol=1e-12 if moved == 0 else 1e-8)


def test_a_flat_grid_has_no_holes():
    """Rays straight down onto the vertices, edges and diagonals of a grid that is not level."""
    field = HeightField(seeded().normal(size=(40, 40)), 0.1, (0.05, 0, 1 / 3))
    mesh = TriangleMesh(*field.triangles())
    positions, triangles = field.triangles()
    corners = positions[triangles]
    targets = np.concatenate([corners, (corners + np.roll(corners, 1, axis=1)) / 2]).reshape(-1, 3)
    origins = targets + np.array([0, 10, 0])
    distances, _ = mesh(origins, DOWN)
    np.testing.assert_allclose(distances, 10, rtol=0, atol=1e-13)


def test_height_field_and_its_triangles_are_one():
    rng = seeded()
    field = HeightField(rng.normal(size=(30, 20)), (0.3, 0.2), (-3, 1, -2))
    mesh = TriangleMesh(*field.triangles())
    origins = rng.uniform([-3.2, 5, -2.2], [3, 8, 4], (5000, 3))
    a, b = field(origins, DOWN), mesh(origins, DOWN)
    np.testing.assert_allclose(a[0], b[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(a[1], b[1], rtol=0, atol=1e-12)
    ways = rng.normal(size=(5000, 3))
    ways[:200] *= (0, 1, 0)  # some of them up or down
    a, b = field(origins, ways), mesh(origins, ways)
    np.testing.assert_allclose(a[0], b[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(a[1], b[1], rtol=0, atol=1e-12)
    assert 0.05 < np.isfinite(a[0]).mean() < 0.95


def test_plane_and_its_triangles_are_one():
    plane = Plane((1, 2, 3), (0.3, 1, -0.2))
    mesh = TriangleMesh(*plane.triangles(50))
    rng = seeded()
    origins, ways = rng.normal(size=(500, 3)), rng.normal(size=(500, 3))
    found = np.isfinite(mesh(origins, ways)[0])
    assert found.sum() > 100
    for a, b in zip(plane(origins, ways), mesh(origins, ways), strict=True):
        np.testing.assert_allclose(a[found], b[found], atol=1e-12, rtol=1e-11)


@pytest.mark.parametrize("size", [1e-30, 1e-6, 1e6, 1e30])
def test_size_does_not_matter(size):
    """Powers of two leave the bits alone; so does whatever is near them, except for the last."""
    rng = seeded()
    positions, triangles = soup(rng, 300)
    origins, ways = aimed(rng, 800, positions, triangles)
    factor = 2.0 ** np.round(np.log2(size))
    plain = TriangleMesh(positions, triangles).cast(origins, ways)
    scaled = TriangleMesh(positions * factor, triangles).cast(origins * factor, ways)
    assert (plain.triangles == scaled.triangles).all()
    assert (plain.distances * factor == scaled.distances).all()
    assert (plain.normals == scaled.normals).all()


def test_moving_mesh_and_rays_alike_changes_nothing():
    rng = seeded()
    positions, triangles = icosphere(3)
    origins, ways = aimed(rng, 800, positions, triangles)
    turn = lissom.quat.to_matrix(lissom.quat.from_rotation_vector(np.array([0.3, -1.2, 0.7])))
    shift = np.array([100.0, -30.0, 7.0])
    plain = TriangleMesh(positions, triangles).cast(origins, ways)
    moved = TriangleMesh(positions @ turn.T + shift, triangles).cast(origins @ turn.T + shift, ways @ turn.T)
    same = plain.triangles == moved.triangles
    assert same.mean() > 0.999  # except for rays that graze a side
    np.testing.assert_allclose(plain.distances[same], moved.distances[same], atol=1e-11)
    np.testing.assert_allclose(plain.normals[same] @ turn.T, moved.normals[same], atol=1e-11)


def test_the_length_of_a_direction_does_not_matter():
    rng = seeded()
    positions, triangles = soup(rng, 200)
    origins, ways = aimed(rng, 300, positions, triangles)
    mesh = TriangleMesh(positions, triangles)
    for factor in (2.0**-600, 2.0**-1060, 2.0**600):  # down to subnormal numbers
        rays = (
            (ways * factor)[np.abs(ways * factor).min(axis=1) > 1e-300]
            if factor < 2.0**-900
            else ways * factor
        )
        if len(rays) == len(ways):
            assert (mesh(origins, ways)[0] == mesh(origins, rays)[0]).all()
    assert mesh([0, 9, 0], [0, -5e-324, 0])[0] == mesh([0, 9, 0], DOWN)[0]


def test_the_order_of_triangles_does_not_matter():
    rng = seeded()
    positions, triangles = icosphere(3)
    order = rng.permutation(len(triangles))
    origins, ways = aimed(rng, 3000, positions, triangles, 1.0)
    plain = TriangleMesh(positions, triangles).cast(origins, ways)
    other = TriangleMesh(positions, triangles[order]).cast(origins, ways)
    assert (plain.distances == other.distances).all()
    found = plain.triangles >= 0
    assert (plain.triangles[found] == order[other.triangles[found]]).all()


def test_splitting_a_batch_and_threads_change_nothing():
    rng = seeded()
    positions, triangles = soup(rng, 500)
    origins, ways = aimed(rng, 5001, positions, triangles)
    mesh = TriangleMesh(positions, triangles)
    whole = mesh.cast(origins, ways)
    before = lissom.thread_count()
    try:
        lissom.set_thread_count(1)
        alone = [mesh.cast(origins[i : i + 1], ways[i : i + 1]) for i in range(0, 5001, 7)]
        in_one = mesh.cast(origins, ways)
    finally:
        lissom.set_thread_count(before)
    for k, field in enumerate(whole):
        assert (np.concatenate([part[k] for part in alone]) == field[::7]).all()
        assert (in_one[k] == field).all()


def test_several_threads_may_cast():
    rng = seeded()
    positions, triangles = soup(rng, 500)
    origins, ways = aimed(rng, 2000, positions, triangles)
    mesh = TriangleMesh(positions, triangles)
    wanted, _ = mesh(origins, ways)
    answers = [None] * 6

    def work(k):
        answers[k] = mesh(origins, ways)[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((answer == wanted).all() for answer in answers)


def test_max_distance_cuts_off_and_belongs_to_it():
    rng = seeded()
    positions, triangles = soup(rng, 300)
    origins, ways = aimed(rng, 2000, positions, triangles)
    mesh = TriangleMesh(positions, triangles)
    far = mesh.cast(origins, ways).distances
    reach = float(np.median(far[np.isfinite(far)]))
    near = mesh.cast(origins, ways, max_distance=reach).distances
    assert (near == np.where(far <= reach, far, np.inf)).all()
    ray = int(np.argmax(np.isfinite(far)))
    exact = mesh.cast(origins[ray], ways[ray], max_distance=far[ray]).distances
    assert exact == far[ray]
    short = mesh.cast(origins[ray], ways[ray], max_distance=np.nextafter(far[ray], 0)).distances
    assert np.isinf(short)


def test_front_only_passes_through_backs():
    positions, triangles = icosphere()
    mesh, flipped = TriangleMesh(positions, triangles), TriangleMesh(positions, triangles[:, ::-1])
    rng = seeded()
    origins = rng.normal(size=(2000, 3)) * 3
    origins = origins[np.linalg.norm(origins, axis=1) > 1.5]
    through, entered = mesh.cast(origins, -origins), mesh.cast(origins, -origins, sides="front")
    assert (through.distances == entered.distances).all()
    left = flipped.cast(origins, -origins, sides="front")
    # Through the front wall to the one behind, which is seen from inside.
    lengths = np.linalg.norm(origins, axis=1)
    assert (left.distances > lengths).all()
    assert (np.einsum("ij,ij->i", left.normals, origins) > 0).all()


def test_triangles_without_area_are_counted_and_never_hit():
    positions = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 1], [1 / 3, 0, 1 / 7], [2 / 3, 0, 2 / 7]])
    triangles = [[0, 1, 2], [1, 1, 3], [2, 2, 2], [0, 4, 5], [0, 3, 1]]
    mesh = TriangleMesh(positions, triangles)
    assert mesh.degenerate_count == 4
    assert mesh.triangle_count == 5
    hits = mesh.cast([[0.1, 1, 0.1], [1.5, 1, 0]], DOWN)
    assert hits.triangles.tolist() == [4, -1]
    only = TriangleMesh(positions, triangles[:3])
    assert np.isinf(only([[0.5, 1, 0]], DOWN)[0]).all()


def test_a_mesh_without_triangles_is_nothing():
    for mesh in (TriangleMesh([], []), TriangleMesh(np.zeros((4, 3)), np.zeros((0, 3), int))):
        hits = mesh.cast(np.zeros((2, 5, 3)), DOWN)
        assert np.isinf(hits.distances).all()
        assert (hits.triangles == -1).all()
        assert hits.weights.shape == (2, 5, 3)
        assert not hits.weights.any()


def test_equal_triangles_by_the_thousand():
    """No plane parts them, and the tree stays shallow; the first of them is hit."""
    positions = np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0]])
    mesh = TriangleMesh(positions, np.tile([[0, 1, 2]], (5000, 1)))
    hits = mesh.cast([[0.2, 3, 0.2], [0.9, 3, 0.9]], DOWN)
    assert hits.distances.tolist() == [3, np.inf]
    assert hits.triangles.tolist() == [0, -1]


def test_triangles_of_sizes_that_halve_for_ever():
    """Every cut between bins takes few of them off: without a limit the tree would be that deep."""
    sizes = 2.0 ** -np.arange(900)
    corners = np.array([[1.0, 0, 0], [1.5, 0, 0.5], [1.5, 0, -0.5]])
    positions = (sizes[:, None, None] * corners).reshape(-1, 3)
    mesh = TriangleMesh(positions, np.arange(2700).reshape(-1, 3))
    live = sizes > 1e-15  # smaller ones have no place of their own beside the largest
    hits = mesh.cast(np.stack([1.4 * sizes, np.ones(900), 0 * sizes], axis=1)[live], DOWN)
    np.testing.assert_allclose(hits.distances, 1, rtol=1e-15)


def test_a_ray_within_the_plane_of_triangles_passes():
    positions, triangles = Plane().triangles(1.0)
    assert np.isinf(TriangleMesh(positions, triangles)([-5, 0, 0.1], (1, 0, 0))[0])


def test_far_rays_still_hit():
    positions, triangles = icosphere(3)
    mesh = TriangleMesh(positions, triangles)
    rng = seeded()
    ways = rng.normal(size=(500, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    for far in (1e3, 1e6, 1e9, 1e12):
        distances, _ = mesh(-far * ways + 0.5 * rng.uniform(-1, 1, (500, 3)), ways)
        assert np.isfinite(distances).all(), far
        np.testing.assert_allclose(distances, far, atol=2 + 1e-3)


def test_small_and_large_triangles_in_one_mesh():
    """A plain of kilometres with a pebble of a millimetre: boxes in float32 must not lose it."""
    plain, sides = Plane().triangles(1e4)
    pebble, faces = icosphere(2)
    positions = np.concatenate([plain, pebble * 1e-3 + [4321.1, 0, -1234.5]])
    triangles = np.concatenate([sides, faces + 4])
    mesh = TriangleMesh(positions, triangles)
    rng = seeded()
    discs = rng.uniform(-6e-4, 6e-4, (500, 2))
    origins = np.stack([4321.1 + discs[:, 0], np.full(500, 1.0), -1234.5 + discs[:, 1]], axis=1)
    hits = mesh.cast(origins, DOWN)
    assert (hits.triangles >= 2).all()
    assert ((hits.distances > 0.998) & (hits.distances < 0.9999)).all()


def test_writing_into_the_arrays_later_changes_nothing():
    positions, triangles = Plane().triangles()
    mesh = TriangleMesh(positions, triangles)
    positions[:, 1] = 7
    triangles[:] = 0
    assert mesh([0.1, 1, 0], DOWN)[0] == 1
    assert mesh.triangles()[0][0, 1] == 0
    assert mesh.triangles()[1].max() == 3
    with pytest.raises(ValueError, match="read-only"):
        mesh.positions[0] = 1


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 13, 200])
def test_rays_do_not_see_one_another(count: int) -> None:
    """Several are on their way at once: each finds what it finds alone, beside rays that miss."""
    rng = np.random.default_rng(count)
    mesh = TriangleMesh(rng.normal(size=(900, 3)).astype(np.float32), np.arange(900).reshape(-1, 3))
    origins, ways = 2 * rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    origins[::3] += 50.0  # most of these miss the box of all triangles
    distances, normals = mesh(origins, ways)
    for ray in range(count):
        distance, normal = mesh(origins[ray], ways[ray])
        np.testing.assert_array_equal(distances[ray], distance)
        np.testing.assert_array_equal(normals[ray], normal)
