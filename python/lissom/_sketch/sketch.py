# SPDX-License-Identifier: MIT
"""A picture of a mesh or of joints, drawn with NumPy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number, whole_number
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._formats.picture import Picture
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._rig.skeleton import Skeleton

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._sketch.surface import Surface
    from lissom._view.camera import Camera

__all__ = ["sketch"]

FINE = 2  # pixels are drawn so many times finer each way, against jagged edges

MOST_TRIANGLES = 100_000  # of a small picture; of a larger one as many as it has pixels

Source = Character | Mesh | PreparedMesh | Skeleton


@set_module("lissom")
def sketch(
    source: Source,
    positions: ArrayLike | None = None,
    *,
    pose: ArrayLike | None = None,
    width: int = 240,
    height: int = 240,
    camera: Camera | None = None,
    azimuth: float = 35.0,
    elevation: float = 15.0,
    ground: bool = True,
    ground_height: float | None = None,
    heat: ArrayLike | None = None,
    heat_maximum: float | None = None,
) -> Picture:
    """Draw a small picture with NumPy alone: no OpenGL, and nothing to install.

    What notebooks show of characters. Camera, light, colours and ground are those of `render`, which is the
    better choice for large pictures: it is much faster, and smoother at edges. Textures are seen where Pillow
    is installed.

    Of more than 100 000 triangles, or than the picture has pixels, so many are drawn: evenly picked, and
    larger, to cover what all would. So a notebook does not wait for a mesh of millions.

    Parameters
    ----------
    source : Character, Mesh, PreparedMesh or Skeleton
        What to draw: a character without a mesh, and a skeleton, as bones.
    positions : array_like, shape (V, 3), optional
        Where the vertices are, model space; of a skeleton and of a character without a mesh the joints,
        ``(J, 3)``. Where they are at rest when neither this nor `pose` is given.
    pose : array_like, shape (J, 10), optional
        Local transforms, for a character or a skeleton.
    width, height : int
        Pixels.
    camera : lissom.gpu.Camera, optional
        Where from; otherwise everything is framed from `azimuth` and `elevation`.
    azimuth, elevation : float
        Degrees: about y from the front (+z) towards +x, and above the horizon.
    ground : bool
        Draw the ground and what falls on it.
    ground_height : float, optional
        Model-space y of the ground; the lowest vertex when omitted.
    heat : array_like, shape (V,), optional
        A number per vertex to colour by, instead of the base colours; at least 0.
    heat_maximum : float, optional
        The value of the hottest colour; the largest one when omitted.

    Returns
    -------
    Picture
        ``.array`` (height, width, 3) uint8, ``.save(path)``; a notebook shows it. Of an empty mesh: the
        ground alone.

    Raises
    ------
    TypeError
        If `source` is nothing to draw, or a number is none.
    ValueError
        If a shape does not fit, a number is not finite, both `positions` and `pose` are given, or `heat` for
        bones.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lissom.sketch(hero, pose=hero.clips["walk"].sample(0.3), width=320)
    Picture(320 x 240)
    """
    from lissom._sketch.ground import drawn_ground
    from lissom._sketch.light import encoded_plainly
    from lissom._sketch.surface import drawn
    from lissom._view.camera import EMPTY_BOX, Camera
    from lissom._view.color import BACKGROUND
    from lissom._view.light import key_direction

    width = whole_number(width, "sketch: width", least=1)
    height = whole_number(height, "sketch: height", least=1)
    if camera is not None and not isinstance(camera, Camera):
        raise TypeError(f"sketch: camera: expected a Camera, got {type(camera).__name__}")
    angles = {
        "azimuth": check_number(azimuth, "sketch: azimuth"),
        "elevation": check_number(elevation, "sketch: elevation"),
    }
    surface = _surface(source, positions, pose, heat, heat_maximum)
    surface = surface.thinned(max(MOST_TRIANGLES, width * height))
    points = surface.positions if len(surface.positions) else np.array(EMPTY_BOX)
    triangles = np.asarray(surface.triangles, np.intp)
    # Of a thinned surface one corner of each triangle is enough: they lie so near to each other.
    framed = points if surface.every == 1 else points[triangles[:, 0]]
    camera = camera or Camera.framing(framed, width / height, **angles)
    low = float(points[:, 1].min())
    if ground_height is not None:
        low = check_number(ground_height, "sketch: ground_height")
    reach = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0))) or 0.5
    to_key, background = key_direction(camera), np.array(BACKGROUND)
    if ground and camera.eye[1] > low:
        on = points, triangles, surface.every, low, reach, camera, to_key, background
        under = drawn_ground(*on, (width, height))
    else:
        under = np.broadcast_to(encoded_plainly(background), (height, width, 3))
    fine = FINE * width, FINE * height
    pixel, color = drawn(surface, camera, to_key, (low, reach), fine)
    return Picture(_over(under, pixel, color))


def _over(under: NDArray[np.uint8], pixel: NDArray[np.intp], color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Lay fine pixels over a picture."""
    height, width, _ = under.shape
    wide = FINE * width
    coarse = pixel // wide // FINE * width + pixel % wide // FINE
    count = np.bincount(coarse, minlength=width * height).reshape(height, width, 1)
    sums = [np.bincount(coarse, color[:, i], minlength=width * height) for i in range(3)]
    mixed = np.stack(sums, axis=-1).reshape(under.shape) + (FINE**2 - count) * under
    return np.rint(mixed / FINE**2).astype(np.uint8)


def _surface(
    source: Source,
    positions: ArrayLike | None,
    pose: ArrayLike | None,
    heat: ArrayLike | None,
    heat_maximum: float | None,
) -> Surface:
    """Give what is drawn, as triangles."""
    from lissom._sketch.surface import Surface, colors_of

    if not isinstance(source, (Character, Mesh, PreparedMesh, Skeleton)):
        raise TypeError(
            f"sketch: source: expected a Character, a Mesh or a Skeleton, got {type(source).__name__}; "
            "lissom.load makes a character of a file"
        )
    if positions is not None and pose is not None:
        raise ValueError("sketch: positions: expected either positions or a pose, got both")
    mesh = source if isinstance(source, Mesh) else None if isinstance(source, Skeleton) else _mesh(source)
    if mesh is None:
        assert isinstance(source, (Character, Skeleton))
        if heat is not None:
            raise ValueError("sketch: heat: expected a mesh to colour, got joints alone")
        return _bones(source if isinstance(source, Skeleton) else source.skeleton, positions, pose)
    if positions is None and isinstance(source, Character):
        places, normals = _posed(source, pose)
    elif pose is not None:
        raise ValueError("sketch: pose: expected positions for a mesh without joints, got a pose")
    elif positions is None:
        places = mesh.positions
        normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
    else:
        places = _places(positions, mesh.vertex_count)
        normals = mesh.normals_of(places)
    return Surface(
        places.astype(np.float64),
        normals,
        mesh.triangles,
        colors_of(mesh),
        None if heat is None else _heat(heat, heat_maximum, mesh.vertex_count),
        mesh,
        mesh.uvs,
    )


def _mesh(source: Character | PreparedMesh) -> Mesh | None:
    return source._results if isinstance(source, PreparedMesh) else source.mesh


def _posed(character: Character, pose: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    skeleton = character.skeleton
    posed = as_numbers(skeleton.rest if pose is None else pose, "sketch: pose")
    _check_pose(posed, skeleton)
    # What "blended" needs may be missing, and is not seen at this size.
    method = "linear" if character.method == "blended" and character.blend is None else None
    deformed = character.deform(posed, method, normals=True)
    return deformed.positions, deformed.normals


def _check_pose(pose: NDArray[Any], skeleton: Skeleton) -> None:
    expected = (len(skeleton), 10)
    if pose.shape != expected:
        raise ValueError(f"sketch: pose: expected shape {expected}, one pose, got {pose.shape}")


def _bones(skeleton: Skeleton, positions: ArrayLike | None, pose: ArrayLike | None) -> Surface:
    from lissom._sketch.surface import Surface
    from lissom._view.bones import COLOR, bone_triangles

    if positions is not None:
        places = _places(positions, len(skeleton))
    else:
        posed = as_numbers(skeleton.rest if pose is None else pose, "sketch: pose").astype(np.float64)
        _check_pose(posed, skeleton)
        places = _places(skeleton.positions(posed), len(skeleton))
    vertices = np.zeros((0, 3))
    if len(places):
        vertices = bone_triangles(places, skeleton.parents)[0]
    count = len(vertices)
    colors = np.tile(COLOR[:3], (count, 1))
    return Surface(vertices, np.zeros((count, 3)), np.arange(count).reshape(-1, 3), colors)


def _places(positions: ArrayLike, count: int) -> NDArray[np.float64]:
    places = as_numbers(positions, "sketch: positions").astype(np.float64)
    if places.shape != (count, 3):
        raise ValueError(f"sketch: positions: expected shape ({count}, 3), got {places.shape}")
    if not np.isfinite(places).all():
        row = int(np.argwhere(~np.isfinite(places))[0, 0])
        raise ValueError(
            f"sketch: positions: expected finite numbers, got {places[row].tolist()} in row {row}"
        )
    return places


def _heat(heat: ArrayLike, maximum: float | None, count: int) -> NDArray[np.float64]:
    values = as_numbers(heat, "sketch: heat").astype(np.float64)
    if values.shape != (count,):
        raise ValueError(f"sketch: heat: expected shape ({count},), got {values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise ValueError(
            f"sketch: heat: expected finite numbers, at least 0, got {values[bad[0]]} at vertex {bad[0]}"
        )
    top = float(values.max(initial=0))
    if maximum is not None:
        top = check_number(maximum, "sketch: heat_maximum", least=0)
    return np.asarray(np.minimum(values / (top or 1.0), 1.0))
