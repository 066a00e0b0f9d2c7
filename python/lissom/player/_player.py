# SPDX-License-Identifier: MIT
"""The result of `show`: a player as a page, as a file, or in a notebook's cell."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._base.names import name_meant, unknown_name
from lissom._base.numbers import check_flag, check_number, whole_number
from lissom._formats.atomic import write_atomically
from lissom._formats.picture import Picture
from lissom.player._morphs import checked_expressions, checked_morphs

if TYPE_CHECKING:
    from lissom._rig.expressions import Expressions
    from lissom._rig.mesh import Mesh

__all__ = ["Player"]

STATE = (
    "clip", "time", "playing", "speed", "fade", "method", "color", "row", "skeleton", "wireframe", "count",
    "ground", "camera", "morphs", "expressions", "helpers", "framing",
)  # fmt: skip
"""Names of a player's state; docs/howto/show-in-a-browser.md describes the values."""

CAMERA = ("target", "distance", "azimuth", "elevation", "field_of_view")
SIDE_BY_SIDE = "side_by_side"  # both methods, where there are two
COLORS = ("surface", "difference", "weights")
FRAMINGS = ("clip", "all")
JPEG_QUALITY = 80

Still = Callable[[int, int], Picture | None]


class Player:
    """A character or bake in the browser player, returned by `Character.show` and `PoseTexture.show`.

    A notebook shows it in the cell, with a picture where scripts are not run. The page is self-contained: it
    opens from a disk or a mail, and loads nothing from a network.

    Parameters
    ----------
    bundle : bytes
        From `lissom.player.bundle`.
    title : str
        Title of the page.
    width, height : int
        Pixels, in a notebook; a saved page fills the window.
    state : mapping, optional
        State at the start: :doc:`/howto/show-in-a-browser`.
    still : callable, optional
        Called as ``still(width, height)`` when a still is first needed; returns a `Picture`, or None.

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
        self.width = whole_number(width, "Player: width", least=1)
        self.height = whole_number(height, "Player: height", least=1)
        self.state = dict(state or {})
        self._make_still = still

    @cached_property
    def still(self) -> Picture | None:
        """The picture shown where the player cannot run, or None."""
        return None if self._make_still is None else self._make_still(self.width, self.height)

    @cached_property
    def html(self) -> str:
        """The page as HTML."""
        from lissom.player._page import page

        return page(self.bundle, title=self.title, options={"state": self.state}, still=self._packed_still)

    @cached_property
    def _packed_still(self) -> bytes:
        return b"" if self.still is None else _jpeg(self.still)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page; an old file is replaced only when the new one is complete.

        Parameters
        ----------
        path : path-like
            Must end in ``.html``.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        ValueError
            If `path` ends otherwise.
        OSError
            If the file cannot be written; an old one is kept.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lissom.samples.two_bone_tube().show().save(f"{folder}/tube.html").suffix
        '.html'
        """
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"Player.save: path must end in .html, got {target.name!r}")
        write_atomically(path, [self.html.encode()])
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown: dict[str, Any] = {"text/html": self._frame(), "text/plain": repr(self)}
        if self.still is not None:
            shown["image/png"] = self.still._repr_png_()
        return shown

    def _frame(self) -> str:
        """Return the page in a frame, which isolates its styles and keys.

        The still is below the frame: untrusted notebooks remove frames and keep pictures.
        """
        from lissom.player._page import escaped_title, still_tag

        whole = "position:absolute;width:100%;height:100%"
        return (
            f'<div style="position:relative;width:{self.width}px;max-width:100%;height:{self.height}px">'
            f"{still_tag(self._packed_still, self.title, f'{whole};object-fit:contain')}"
            f'<iframe title="{escaped_title(self.title)}" sandbox="allow-scripts" allowfullscreen '
            f'style="{whole};border:0" srcdoc="{html.escape(self.html)}"></iframe></div>'
        )

    def __repr__(self) -> str:
        return f"Player({self.title!r}, {self.width} x {self.height}, {len(self.bundle)} bytes)"


def checked_state(
    caller: str,
    state: Mapping[str, Any],
    clips: Any,
    methods: Any,
    rows: Any,
    mesh: Mesh,
    expressions: Expressions | None = None,
) -> dict[str, Any]:
    """Return a state as JSON values; refuse unknown names and values.

    Parameters
    ----------
    caller : str
        Function that the user called, for messages.
    state : mapping
        As the user passed it; a value of None is omitted.
    clips, methods, rows : sequence of str
        Names in the bake.
    mesh : Mesh
        What is drawn.
    expressions : Expressions, optional
        Of its morph targets.
    """
    result = {name: value for name, value in state.items() if value is not None}
    for name in result:
        if name not in STATE:
            raise TypeError(f"{caller}: {unknown_name('state', name, STATE)}")
    if isinstance(result.get("clip"), str):
        result["clip"] = name_meant(result["clip"], clips) or result["clip"]
    known = {
        "clip": ("clip", clips),
        "method": ("method", [*methods, *([SIDE_BY_SIDE] if len(methods) > 1 else [])]),
        "color": ("color", COLORS),
        "framing": ("framing", FRAMINGS),
        "row": ("palette row", rows),
    }
    for name, (what, names) in known.items():
        if name in result and result[name] not in names:
            raise ValueError(f"{caller}: {unknown_name(what, str(result[name]), names)}")
    for name in ("time", "speed", "fade"):
        if name in result:
            result[name] = check_number(result[name], f"{caller}: {name}")
    if "count" in result:
        result["count"] = whole_number(result["count"], f"{caller}: count")
    for name in ("playing", "skeleton", "helpers", "wireframe", "ground"):
        if name in result:
            result[name] = check_flag(result[name], f"{caller}: {name}")
    if "morphs" in result:
        result["morphs"] = checked_morphs(caller, result["morphs"], mesh)
    if "expressions" in result:
        result["expressions"] = checked_expressions(caller, result["expressions"], expressions)
    if "camera" in result:
        result["camera"] = _camera(caller, result["camera"])
    return result


def _camera(caller: str, camera: Any) -> dict[str, Any]:
    """Return the fields of a `lissom.gpu.Camera`, or those that a mapping has, as JSON values."""
    fields = camera if isinstance(camera, Mapping) else vars(camera) if hasattr(camera, "azimuth") else None
    if fields is None or set(fields) - set(CAMERA):
        raise TypeError(
            f"{caller}: camera must be a lissom.gpu.Camera, or some of {', '.join(CAMERA)}, got {camera!r}"
        )
    numbers = {
        name: check_number(fields[name], f"{caller}: camera {name}") for name in fields if name != "target"
    }
    if "target" not in fields:
        return numbers
    target = as_numbers(fields["target"], f"{caller}: camera target").astype(np.float64)
    if target.shape != (3,) or not np.isfinite(target).all():
        raise ValueError(f"{caller}: camera target must be 3 finite numbers, got {target.tolist()}")
    return {"target": target.tolist(), **numbers}


def _jpeg(picture: Picture) -> bytes:
    """Return a picture as JPEG, a fifth of the bytes of a PNG; as PNG without Pillow."""
    import io

    try:
        from PIL import Image
    except ImportError:
        return picture._repr_png_()
    file = io.BytesIO()
    Image.fromarray(picture.array).save(file, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return file.getvalue()
