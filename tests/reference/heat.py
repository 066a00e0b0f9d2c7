# SPDX-License-Identifier: MIT
"""Weights by heat, dense and one vertex after the other, in float64.

Baran and Popovic, Automatic Rigging and Animation of 3D Characters, SIGGRAPH 2007, section 5, on the
Laplacian of Sharp and Crane, A Laplacian for Nonmanifold Triangle Meshes, Computer Graphics Forum 39(5).
For closed meshes of different vertices whose triangles face outwards; islands are not told apart.
"""

import numpy as np

from reference.ray_caster import cast

TIE = 1 + 1e-4
MOLLIFY = 1e-5


def weights(positions, triangles, bones, conductance=1.0, sight=True):
    """Return weights (V, H) of bones (H, 2, 3), the Laplacian (V, V) and the heat of each vertex."""
    laplacian, areas = tufted_laplacian(positions, triangles)
    heat, shares = sources(positions, triangles, bones, sight)
    heat = conductance * areas * heat
    return np.linalg.solve(laplacian + np.diag(heat), heat[:, None] * shares), laplacian, heat


def sources(positions, triangles, bones, sight):
    """Return 1 / distance^2 of the nearest visible bones, summed (V,), and the share of each bone (V, H)."""
    size = np.linalg.norm(np.ptp(positions, axis=0))
    start = 1e-4 * size
    heat, shares = np.zeros(len(positions)), np.zeros((len(positions), len(bones)))
    for vertex, point in enumerate(positions):
        places = [nearest_place(point, head, tail) for head, tail in bones]
        distances = np.array([np.linalg.norm(place - point) for place in places])
        visible = np.array([
            not sight or sees(positions, triangles, point, place, start) for place in places
        ])  # fmt: skip
        if not visible.any():
            continue
        least = distances[visible].min()
        warm = visible & (distances <= least * TIE)
        each = warm / np.maximum(distances, 1e-6 * size) ** 2
        heat[vertex], shares[vertex] = each.sum(), each / each.sum()
    return heat, shares


def nearest_place(point, head, tail):
    along = tail - head
    square = along @ along
    share = np.clip((point - head) @ along / square, 0, 1) if square else 0.0
    return head + share * along


def sees(positions, triangles, point, place, start):
    """Whether the way from a vertex of a closed mesh runs through its inside."""
    distance = np.linalg.norm(place - point)
    if distance <= 2 * start:
        return True
    way = (place - point) / distance
    hits, _, which, _ = cast(positions, triangles, [point + start * way], np.array([way]))
    if which[0] < 0 or hits[0] < distance - 2 * start:
        return False
    a, b, c = positions[triangles[which[0]]]
    return np.cross(b - a, c - a) @ way > 0  # crossed from behind


class Face:
    """A triangle known by its corners and the lengths of its sides; side i runs from corner i to the next."""

    def __init__(self, corners, lengths):
        self.corners = list(corners)
        self.lengths = list(lengths)
        self.beyond = [None, None, None]  # (face, side)

    @property
    def area(self):
        a, b, c = sorted(self.lengths, reverse=True)
        return 0.25 * np.sqrt(max(0.0, (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))))

    def cotangent(self, side):
        a, b, c = (self.lengths[(side + i) % 3] for i in range(3))
        return (b * b + c * c - a * a) / (4 * self.area)


def tufted_laplacian(positions, triangles):
    """Return the Laplacian (V, V), positive semi-definite, and the areas (V,) of vertices."""
    faces = tufted_cover(positions, triangles)
    lengths = [length for face in faces for length in face.lengths]
    least = MOLLIFY * np.mean(lengths)
    excess = [sum(face.lengths) - 2 * length for face in faces for length in face.lengths]
    longer = max(0.0, least - min(excess))
    for face in faces:
        face.lengths = [length + longer for length in face.lengths]
    areas = np.zeros(len(positions))
    for face in faces:
        np.add.at(areas, face.corners, face.area / 6)
    flip_all(faces)
    laplacian = np.zeros((len(positions), len(positions)))
    for face in faces:
        for side in range(3):
            a, b = face.corners[side], face.corners[(side + 1) % 3]
            weight = 0.25 * face.cotangent(side)  # the other face at this side adds its own
            laplacian[a, a] += weight
            laplacian[b, b] += weight
            laplacian[a, b] -= weight
            laplacian[b, a] -= weight
    return laplacian, areas


def tufted_cover(positions, triangles):
    """Return a front and a back of each triangle, glued round each edge like the pages of a book."""
    pages = {}
    faces = []
    for triangle in np.asarray(triangles).tolist():
        for corners in (triangle, triangle[::-1]):
            ends = [np.asarray(positions[corner], np.float64) for corner in corners]
            face = Face(corners, [np.linalg.norm(ends[(i + 1) % 3] - ends[i]) for i in range(3)])
            faces.append(face)
        for low, high in ((0, 1), (1, 2), (2, 0)):
            a, b = sorted((triangle[low], triangle[high]))
            pages.setdefault((a, b), []).append((triangle[3 - low - high], faces[-2], faces[-1]))
    for (a, b), around in pages.items():
        axis = positions[b] - positions[a]
        axis = axis / np.linalg.norm(axis)
        x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        y = np.cross(axis, x)
        away = [positions[facing] - positions[a] for facing, _, _ in around]
        order = np.argsort([np.arctan2(way @ y, way @ x) for way in away])
        for this, following in zip(order, np.roll(order, -1), strict=True):
            ahead = side_of(around[this][1:], a, b)  # looks towards larger angles
            behind = side_of(around[following][1:], b, a)
            ahead[0].beyond[ahead[1]], behind[0].beyond[behind[1]] = behind, ahead
    return faces


def side_of(pair, a, b):
    for face in pair:
        for side in range(3):
            if (face.corners[side], face.corners[(side + 1) % 3]) == (a, b):
                return face, side
    raise AssertionError


def flip_all(faces):
    """Flip edges until all are Delaunay."""
    flipped = True
    while flipped:
        flipped = False
        for face in faces:
            for side in range(3):
                other, other_side = face.beyond[side]
                if other is not face and face.cotangent(side) + other.cotangent(other_side) < -1e-9:
                    flip(face, side)
                    flipped = True


def flip(face, side):
    other, other_side = face.beyond[side]

    def rolled(owner, first):
        order = [(first + i) % 3 for i in range(3)]
        return [owner.corners[i] for i in order], [owner.lengths[i] for i in order], order

    (a, b, c), (along, bc, ca), order = rolled(face, side)
    (_, _, d), (_, ad, db), other_order = rolled(other, other_side)
    angle = np.arccos(np.clip((along**2 + ca**2 - bc**2) / (2 * along * ca), -1, 1))
    other_angle = np.arccos(np.clip((along**2 + ad**2 - db**2) / (2 * along * ad), -1, 1))
    cd = np.sqrt(ca**2 + ad**2 - 2 * ca * ad * np.cos(angle + other_angle))
    old = {(face, order[1]): (other, 2), (face, order[2]): (face, 1),
           (other, other_order[1]): (face, 2), (other, other_order[2]): (other, 1)}  # fmt: skip
    beyond = {
        new: old.get(place[0].beyond[place[1]], place[0].beyond[place[1]]) for place, new in old.items()
    }
    face.corners, face.lengths = [d, c, a], [cd, ca, ad]
    other.corners, other.lengths = [c, d, b], [cd, db, bc]
    face.beyond[0], other.beyond[0] = (other, 0), (face, 0)
    for (owner, at), (next_owner, next_at) in beyond.items():
        owner.beyond[at] = (next_owner, next_at)
        next_owner.beyond[next_at] = (owner, at)
