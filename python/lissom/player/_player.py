# SPDX-License-Identifier: MIT
"""What `show` returns: a player as a page, as a file, or in a notebook's cell."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lissom._base.names import unknown_name
from lissom._base.numbers import whole_number
from lissom._formats.atomic import write_atomically
from lissom._formats.picture import Picture

__all__ = ["Player"]

STATE = (
    "clip", "time", "playing", "speed", "fade", "method", "color", "row", "skeleton", "wireframe", "count",
    "ground", "camera",
)  # fmt: skip
"""What a player starts with, where it is asked for: the page of the how-to says what each takes."""

CAMERA = ("target", "distance", "azimuth", "elevation", "field_of_view")
METHODS = ("linear", "dual_quat", "side_by_side")
COLORS = ("surface", "difference", "weights")
JPEG_QUALITY = 80

Still = Callable[[int, int], Picture | None]


class Player:
    """A character or bake in the browser's player. Made by `Character.show` and `PoseTexture.show`.

    A notebook shows it in the cell, with a picture for places that run no scripts. All of it is in the page:
    it opens from a disk or a mail, and asks no network for anything.

    Parameters
    ----------
    bundle : bytes
        From `lissom.player.bundle`.
    title : str
        Of the page.
    width, height : int
        Pixels, in a notebook; a page of its own fills the window.
    state : mapping, optional
        What it starts with: :doc:`/howto/show-in-a-browser`.
    still : callable, optional
        Called as ``still(width, height)`` when a still is first wanted; gives a `Picture`, or None.

    Attributes
    ----------
    bundle : bytes
    title : str
    width, height : int
    state : dict

    Examples
    --------
    >>> player = lissom.samples.two_bone_tube().show("twist", method="side_by_side")
    >>> player.html.startswith("<!doctype html>")
    True
    """

    def __init__(
        self,
        bundle: bytes,
        *,
        title: str = "",
        width: int = 720,
        height: int = 480,
        state: Mapping[str, Any] | None = None,
        still: Still | None = None,
    ) -> None:
        self.bundle = bundle
        self.title = title
        self.width = whole_number(width, "Player: width")
        self.height = whole_number(height, "Player: height")
        if min(self.width, self.height) < 1:
            raise ValueError(
                f"Player: width, height: expected at least 1 pixel, got {self.width} x {self.height}"
            )
        self.state = dict(state or {})
        self._make_still = still

    @cached_property
    def still(self) -> Picture | None:
        """The picture that stands in for the player; None where there is none."""
        return None if self._make_still is None else self._make_still(self.width, self.height)

    @cached_property
    def html(self) -> str:
        """The whole page."""
        from lissom.player._page import page

        return page(self.bundle, title=self.title, options={"state": self.state}, still=self._packed_still)

    @cached_property
    def _packed_still(self) -> bytes:
        return b"" if self.still is None else _small(self.still)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, replacing an old one only when all is written.

        Parameters
        ----------
        path : path-like
            Ends in ``.html``.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        ValueError
            On another ending.
        OSError
            If the file cannot be written; an old one is still there.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lissom.samples.two_bone_tube().show().save(f"{folder}/tube.html").suffix
        '.html'
        """
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"Player.save: path: expected a name ending in .html, got {target.name!r}")
        write_atomically(path, [self.html.encode()])
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown: dict[str, Any] = {"text/html": self._frame(), "text/plain": repr(self)}
        if self.still is not None:
            shown["image/png"] = self.still._repr_png_()
        return shown

    def _frame(self) -> str:
        """Return the page in a frame: its styles and keys stay apart from those around it.

        Below the frame lies the still: it is what is left where notebooks that nobody trusts yet lose their
        frames.
        """
        from lissom.player._page import still_tag

        whole = "position:absolute;width:100%;height:100%"
        return (
            f'<div style="position:relative;width:{self.width}px;max-width:100%;height:{self.height}px">'
            f"{still_tag(self._packed_still, self.title, f'{whole};object-fit:contain')}"
            f'<iframe title="{html.escape(self.title or "lissom")}" sandbox="allow-scripts" allowfullscreen '
            f'style="{whole};border:0" srcdoc="{html.escape(self.html)}"></iframe></div>'
        )

    def __repr__(self) -> str:
        return f"Player({self.title!r}, {self.width} x {self.height}, {len(self.bundle)} bytes)"


def checked_state(
    caller: str, state: Mapping[str, Any], clips: Any, methods: Any, rows: Any
) -> dict[str, Any]:
    """Return a state as JSON holds it, refusing what no player knows.

    Parameters
    ----------
    caller : str
        Named in errors.
    state : mapping
        As the user gave it; None counts as not given.
    clips, methods, rows : sequence of str
        Names that there are.
    """
    result = {name: value for name, value in state.items() if value is not None}
    for name in result:
        if name not in STATE:
            raise TypeError(f"{caller}: {unknown_name('state', name, STATE)}")
    known = {
        "clip": ("clip", clips),
        "method": ("method", [*methods, *METHODS[2:][: len(methods) - 1]]),
        "color": ("color", COLORS),
        "row": ("palette row", rows),
    }
    for name, (what, names) in known.items():
        if name in result and result[name] not in names:
            raise ValueError(f"{caller}: {name}: {unknown_name(what, str(result[name]), names)}")
    for name in ("time", "speed", "fade"):
        if name in result:
            result[name] = _number(caller, name, result[name])
    if "count" in result:
        result["count"] = whole_number(result["count"], f"{caller}: count")
    for name in ("playing", "skeleton", "wireframe", "ground"):
        if name in result and not isinstance(result[name], (bool, np.bool_)):
            raise TypeError(f"{caller}: {name}: expected True or False, got {result[name]!r}")
        if name in result:
            result[name] = bool(result[name])
    if "camera" in result:
        result["camera"] = _camera(caller, result["camera"])
    return result


def _camera(caller: str, camera: Any) -> dict[str, Any]:
    """Return the fields of a `lissom.gpu.Camera`, or those of them that a mapping has."""
    fields = camera if isinstance(camera, Mapping) else vars(camera) if hasattr(camera, "azimuth") else None
    if fields is None or set(fields) - set(CAMERA):
        raise TypeError(
            f"{caller}: camera: expected a lissom.gpu.Camera, or some of {', '.join(CAMERA)}, got {camera!r}"
        )
    numbers = {name: _number(caller, f"camera: {name}", fields[name]) for name in fields if name != "target"}
    if "target" not in fields:
        return numbers
    target = [_number(caller, "camera: target", value) for value in fields["target"]]
    return {"target": target, **numbers}


def _number(caller: str, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{caller}: {name}: expected a number, got {value!r}") from None
    if not np.isfinite(number):
        raise ValueError(f"{caller}: {name}: expected a finite number, got {number}")
    return number


def _small(picture: Picture) -> bytes:
    """Return a picture as JPEG, a fifth of the bytes of a PNG, or as PNG where there is no Pillow."""
    import io

    try:
        from PIL import Image
    except ImportError:
        return picture._repr_png_()
    file = io.BytesIO()
    Image.fromarray(picture.array).save(file, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return file.getvalue()
