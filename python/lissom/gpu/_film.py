# SPDX-License-Identifier: MIT
"""A film: pictures of things that move, drawn when they are asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._formats.animation import Animation
from lissom._formats.picture_sequences import DrawnPictures
from lissom._view.camera import Camera
from lissom._view.film_framing import film_camera, framed_moments
from lissom.gpu._drawable import usual_azimuth
from lissom.gpu._film_timing import steady_timing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character
    from lissom._formats.picture import Picture
    from lissom._view.terrain_mesh import GroundLike
    from lissom.gpu._drawable import Drawable
    from lissom.gpu._film_timing import FilmTiming
    from lissom.gpu._stage import Stage

__all__ = ["Film", "film_of_stage"]


@dataclass
class Film:
    """What is drawn in the pictures of a film, and how.

    Attributes
    ----------
    caller : str
        Function that errors name.
    things : sequence of Drawable
        What is drawn; nobody else may change it.
    timing : FilmTiming
    pose : callable
        Brings the things to the seconds of a picture. It may return the camera of the picture.
    stage : callable
        Returns a stage of the things' context.
    direction : tuple of float
        Azimuth and elevation of the first picture, degrees, where `camera` is None.
    camera : Camera or None
        Of the first picture; one that sees all of all pictures where it is None.
    ground : bool or a mesh
    ground_height : float or None
        Of a plane; the lowest point of the film where it is None.
    finish : callable
        What is put on each picture.
    """

    caller: str
    things: Sequence[Drawable]
    timing: FilmTiming
    pose: Callable[[float], Camera | None]
    stage: Callable[[], Stage]
    direction: tuple[float, float]
    camera: Camera | None = None
    ground: GroundLike = True
    ground_height: float | None = None
    finish: Callable[[Picture], Picture] | None = None
    _background: tuple[float, float, float] | None = None
    _is_framed: bool = False
    _lock: Any = field(default_factory=threading.Lock)

    def animation(self) -> Animation:
        """Return the pictures, none of them drawn yet."""
        stage = self.stage()
        self._background = stage.background  # a stage may get another one before pictures are drawn
        shape = stage.height, stage.width, 4 if stage.background is None else 3
        return Animation(DrawnPictures(range(self.timing.count), shape, self._picture), self.timing.rate)

    def _picture(self, index: int) -> Picture:
        with self._lock:  # of threads: what is drawn is posed for one picture at a time
            stage = self.stage()
            if not self._is_framed:
                self._frame(stage.aspect)
                self._is_framed = True
            camera = self.pose(self.timing.time(index)) or self.camera
            assert camera is not None
            picture = stage._render(
                self.caller,
                tuple(self.things),
                replace(camera, azimuth=camera.azimuth + self.timing.turned(index)),
                self.ground,
                self.ground_height,
                self._background,
            )
        return picture if self.finish is None else self.finish(picture)

    def _frame(self, aspect: float) -> None:
        """Find the camera and the ground, which stay the same, from moments of all pictures."""
        needs_ground = self.ground is True and self.ground_height is None
        if self.camera is not None and not needs_ground:
            return
        lowest: list[float] = []

        def moments() -> Iterator[NDArray[np.float64]]:
            for index in framed_moments(self.timing.count if self.timing.step else 1):
                self.pose(self.timing.time(int(index)))
                lowest.append(min((thing.ground() for thing in self.things), default=0.0))
                yield np.concatenate([thing.points() for thing in self.things])

        if self.camera is None:
            turned = bool(self.timing.turn)
            self.camera = film_camera(moments(), aspect, *self.direction, is_turned=turned)
        else:
            for _ in moments():
                pass
        if needs_ground:
            self.ground_height = min(lowest)


def film_of_stage(
    stage: Stage,
    things: tuple[Drawable | Character, ...],
    pose: Callable[[float], Camera | None] | None,
    seconds: float | None,
    rate: float,
    turn: float | None,
    camera: Camera | None,
    ground: GroundLike,
    ground_height: float | None,
) -> Animation:
    """Make a film of a user's things: `Stage.film`."""
    if pose is not None and not callable(pose):
        raise TypeError(f"Stage.film: pose must be callable or None, got {type(pose).__name__}")
    timing = steady_timing("Stage.film", seconds, rate, turn)
    with ExitStack() as borrowed:
        scene = stage._scene("Stage.film", things, camera, ground, ground_height, borrowed)
        borrowed.pop_all()  # the film draws them
    if pose is None:
        timing = replace(timing, step=0.0)
    direction = usual_azimuth(scene.things), Camera.elevation
    return Film(
        "Stage.film",
        scene.things,
        timing,
        pose or (lambda _: None),
        lambda: stage,
        direction,
        camera,
        ground,
        ground_height,
    ).animation()
