# SPDX-License-Identifier: MIT
"""What happens as a twist passes half a turn: a curve, and the bar on either side of it."""

from collections.abc import Sequence

import numpy as np
from charts import COLORS, FAINT, FINE, GRID, INK, PAPER
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import lissom
from lissom import quat
from lissom._view.labels import Sheet
from lissom.gpu import Camera, SkinnedModel, Stage

FOLLOWED = 1.75  # where along the bar: 5/12 of the twist is the skin's there
SHOWN = (170.0, 190.0)  # degrees, on either side
BLEND = (0.5, 3.5)  # where the weight of "Tip" rises along the bar


def with_twist_joints(bar: lissom.Character) -> lissom.Character:
    """Add two joints to the bar between "Base" and "Tip", and skin it to neighbours among the four."""
    x = np.array([0.0, 1.5, 2.5, 3.5])
    rest = np.tile(bar.skeleton.rest[0], (4, 1))
    rest[1:, 0] = x[1:]
    skeleton = lissom.Skeleton(["Base", "Twist1", "Twist2", "Tip"], [-1, 0, 0, 0], rest)
    joint_from_bind = np.tile(np.eye(4), (4, 1, 1))
    joint_from_bind[:, 0, 3] = -x
    along = 3 * np.clip((bar.mesh.positions[:, 0] - BLEND[0]) / (BLEND[1] - BLEND[0]), 0, 1)
    first = np.minimum(along.astype(int), 2)
    mesh = lissom.Mesh(
        bar.mesh.positions,
        bar.mesh.triangles,
        np.stack([first, first + 1], axis=-1),
        np.stack([1 - (along - first), along - first], axis=-1),
        normals=bar.mesh.normals,
        parts=bar.mesh.parts,
    )
    return lissom.Character("bar", skeleton, mesh, lissom.Skin(range(4), joint_from_bind))


def twisted(character: lissom.Character, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Poses with the last joint twisted so far, and those between by their share."""
    poses = np.tile(character.skeleton.rest.astype(np.float64), (len(degrees), 1, 1))
    last = len(character.skeleton) - 1
    for joint in range(1, last + 1):
        turn = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(degrees) * joint / last)
        poses[:, joint, 3:7] = turn
    return poses


def turns(character: lissom.Character, degrees: NDArray[np.float64], method: str) -> NDArray[np.float64]:
    """How far the skin turns about the bar at `FOLLOWED`, degrees in [-180, 180]."""
    vertex = int(np.abs(character.mesh.positions[:, 0] - FOLLOWED).argmin())
    bind = character.mesh.positions[vertex].astype(np.float64)
    moved = character.deform(twisted(character, degrees), method)[:, vertex]
    angle = np.arctan2(moved[:, 2], moved[:, 1]) - np.arctan2(bind[2], bind[1])
    return np.degrees(np.angle(np.exp(1j * angle)))


class Chart:
    """A chart with even scales; drawn large and made small, for smooth edges."""

    def __init__(self, size: tuple[int, int], x: Sequence[int], y: Sequence[int]) -> None:
        self._size, self._x, self._y = size, (x[0], x[-1]), (y[0], y[-1])
        self._image = Image.new("RGB", (FINE * size[0], FINE * size[1]), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self._box = (52, 66, size[0] - 22, size[1] - 44)
        for value in x:
            self.line([(value, y[0]), (value, y[-1])], GRID, 1.0)
            self.text(self._at((value, y[0])), f"{value}°", FAINT, "ma", below=6)
        for value in y:
            self.line([(x[0], value), (x[-1], value)], GRID, 1.0)
            self.text(self._at((x[0], value)), f"{value}°", FAINT, "rm", left=6)

    def line(
        self,
        points: Sequence[tuple[float, float]],
        color: tuple[int, int, int],
        width: float,
        dashed: bool = False,
    ) -> None:
        """Draw through points of the chart."""
        fine = [(FINE * x, FINE * y) for x, y in map(self._at, points)]
        if not dashed:
            self._draw.line(fine, color, round(FINE * width), joint="curve")
            return
        (x, top), (_, bottom) = fine
        step = 9 * FINE if bottom > top else -9 * FINE
        for y in np.arange(top, bottom, step):
            self._draw.line([(x, y), (x, y + step / 2)], color, round(FINE * width))

    def text(
        self,
        at: tuple[float, float],
        words: str,
        color: tuple[int, int, int],
        anchor: str = "la",
        size: int = 13,
        below: float = 0,
        left: float = 0,
    ) -> None:
        """Write at a place of the picture."""
        place = FINE * (at[0] - left), FINE * (at[1] + below)
        self._draw.text(place, words, color, ImageFont.load_default(size * FINE), anchor=anchor)

    def note(
        self, point: tuple[float, float], words: str, color: tuple[int, int, int], anchor: str = "lm"
    ) -> None:
        """Write at a point of the chart."""
        self.text(self._at(point), words, color, anchor)

    def pixels(self) -> NDArray[np.uint8]:
        """Return the chart."""
        return np.asarray(self._image.resize(self._size, Image.Resampling.LANCZOS))

    def _at(self, point: tuple[float, float]) -> tuple[float, float]:
        left, top, right, bottom = self._box
        (x0, x1), (y0, y1) = self._x, self._y
        across, up = (point[0] - x0) / (x1 - x0), (point[1] - y0) / (y1 - y0)
        return left + (right - left) * across, bottom - (bottom - top) * up


def curves(bar: lissom.Character, spread: lissom.Character, size: tuple[int, int]) -> NDArray[np.uint8]:
    """The turn of one vertex over the twist of the tip."""
    degrees = np.arange(0.5, 360.0)
    chart = Chart(size, range(0, 361, 90), range(-90, 181, 45))
    chart.text((14, 12), "turn of the skin at 5/12 of the twist, by that of the tip", INK, size=16)
    lines = (
        turns(bar, degrees, "linear"),
        turns(bar, degrees, "dual_quat"),
        turns(spread, degrees, "dual_quat"),
    )
    for values, color in zip(lines, COLORS, strict=True):
        jump = int(np.abs(np.diff(values)).argmax()) + 1
        parts = [slice(None)]
        if abs(values[jump] - values[jump - 1]) > 45:
            parts = [slice(0, jump), slice(jump, None)]
            middle = (degrees[jump] + degrees[jump - 1]) / 2
            chart.line([(middle, values[jump]), (middle, values[jump - 1])], color, 1.4, dashed=True)
        for part in parts:
            chart.line(list(zip(degrees[part], values[part], strict=True)), color, 2.6)
    chart.note((158, 14), "linear blend", COLORS[0], "rm")
    chart.note((190, 66), "dual quaternion,", COLORS[1])
    chart.note((190, 52), "centres of rotation", COLORS[1])
    chart.note((312, 141), "dual quaternion with two twist joints", COLORS[2], "rm")
    return chart.pixels()


def flip(width: int, height: int) -> NDArray[np.uint8]:
    """The curves, and the bar before and after half a turn."""
    bar = lissom.samples.twisted_bar()
    spread = with_twist_joints(bar)
    chart_width = round(0.42 * width)
    panel = (width - chart_width) // 2, height // 2
    rows = []
    with Stage(*panel) as stage:
        room = np.array(
            [[0.0, 1.1, 0.0], [4.0, 1.1, 0.0], [4.0, -0.6, 0.0]]
        )  # for words above, and the twist
        seen = np.concatenate([bar.mesh.positions, room])
        camera = Camera.framing(seen, stage.aspect, azimuth=20, elevation=16, margin=0.08)
        for character, name in ((bar, "dual quaternion"), (spread, "with two twist joints")):
            row = []
            for degrees, pose in zip(SHOWN, twisted(character, np.array(SHOWN)), strict=True):
                with SkinnedModel(character, stage=stage, method="dual_quat") as model:
                    model.set_pose(pose)
                    sheet = Sheet(stage.render(model, camera=camera, ground_height=-0.75).array, unit=16)
                sheet.text((12, 10), f"{name}, {degrees:.0f}°")
                row.append(sheet.pixels())
            rows.append(np.concatenate(row, axis=1))
    pictures = np.concatenate(rows)
    return np.concatenate(
        [curves(bar, spread, (width - pictures.shape[1], pictures.shape[0])), pictures], axis=1
    )
