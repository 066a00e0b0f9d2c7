# SPDX-License-Identifier: MIT
"""A place in a notebook where files are dropped: the kernel reads them, and the cell plays them."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._base.extras import how_to_install, require
from lissom._base.numbers import whole_number
from lissom._base.printable import printable
from lissom._base.set_module import set_module
from lissom._formats.faults import os_reason
from lissom._formats.kind import MODEL_SUFFIXES, MOTION_SUFFIX
from lissom._viewer.drop_names import MOST_UPLOAD, kind_fault, last_part, size_fault, stored_name
from lissom._viewer.sentences import of_dropped

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["DropTarget"]

SUFFIXES = (*MODEL_SUFFIXES, MOTION_SUFFIX)

ADVICE = "lissom.load opens it from its place"

Message = dict[str, Any]


@set_module("lissom")
class DropTarget:
    """A place in a notebook for a .glb, .gltf, .vrm or .bvh file that is dropped or picked.

    The file goes to the kernel, wherever that runs, which loads it with the budget of `load` and sends back
    what the cell plays. At most 134 MB. A .gltf must hold its buffers and pictures itself.

    Parameters
    ----------
    height : int
        Pixels of the picture.

    Attributes
    ----------
    character : Character or None
        What was dropped last.
    height : int

    Examples
    --------
    >>> target = lissom.DropTarget()  # the last line of a cell shows it
    >>> target.character is None  # until a file is dropped
    True
    """

    def __init__(self, *, height: int = 480) -> None:
        self.height = whole_number(height, "DropTarget: height", least=1)
        self.character: Character | None = None
        self._bundle = b""
        self._upload: _Upload | None = None
        self._widget: Any = None

    @property
    def widget(self) -> Any:
        """The anywidget that a cell shows.

        Raises
        ------
        ImportError
            Without the extra ``jupyter``.

        Examples
        --------
        >>> lissom.DropTarget().widget  # doctest: +SKIP
        DropTargetWidget(...)
        """
        if self._widget is None:
            self._widget = _widget_class()(self)
        return self._widget

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        try:
            shown = self.widget._repr_mimebundle_() or {}
        except ImportError:
            bundle["text/plain"] += f"\nFiles cannot be dropped here: {how_to_install('jupyter')}"
            return bundle
        return (shown[0] if isinstance(shown, tuple) else shown) | bundle

    def __repr__(self) -> str:
        held = "nothing yet" if self.character is None else repr(self.character.name)
        return f"DropTarget({held})"

    def _answer(self, content: Message, buffers: Any) -> tuple[Message, list[bytes]] | None:
        """Do what a view asks for, and return what all views are told.

        A view says the name and the size, and sends a piece whenever it is asked for more.
        """
        kind, upload = content.get("kind"), self._upload
        if kind == "hello":
            return ({"kind": "bundle"}, [self._bundle]) if self._bundle else None
        if kind == "begin":
            upload = self._upload = _Upload.of(content)
            return self._next(upload)
        if kind == "piece" and upload is not None and content.get("id") == upload.identifier:
            for buffer in buffers:
                upload.add(buffer)
            return self._next(upload)
        return None

    def _next(self, upload: _Upload) -> tuple[Message, list[bytes]]:
        if len(upload.data) < upload.size:
            return {"kind": "more", "id": upload.identifier, "at": len(upload.data)}, []
        self._upload = None
        self.character, self._bundle = upload.shown()
        return {"kind": "bundle", "id": upload.identifier}, [self._bundle]

    def _refuse(self) -> None:
        self._upload = None


class _Upload:
    """A file on its way to the kernel."""

    def __init__(self, identifier: str, name: str, size: int) -> None:
        self.identifier, self.name, self.size = identifier, name, size
        self.data = bytearray()

    @classmethod
    def of(cls, content: Message) -> _Upload:
        """Return what a view announces; ValueError where it is not taken."""
        name = last_part(str(content.get("name", "")))
        size = whole_number(content.get("size"), "DropTarget: size")
        fault = size_fault(name, size, ADVICE) or kind_fault(name, SUFFIXES)
        if fault is not None:
            raise ValueError(fault)
        return cls(str(content.get("id", "")), name, size)

    def add(self, piece: Any) -> None:
        """Add a piece; ValueError where it is more than was announced."""
        if len(self.data) + memoryview(piece).nbytes > self.size:
            raise ValueError(
                f"{printable(self.name, 200)}: has more bytes than the {self.size} that were told"
            )
        self.data += piece

    def shown(self) -> tuple[Character, bytes]:
        """Return the character of the whole file, and what plays it; ValueError where it cannot be shown."""
        from lissom._jobs import sources
        from lissom.player._show import bake_of, player_of

        name = printable(self.name, 200)
        with tempfile.TemporaryDirectory(prefix="lissom-drop-") as folder:
            path = Path(folder, stored_name(self.name))  # a file, as characters are named after theirs
            path.write_bytes(self.data)
            self.data = bytearray()
            try:
                character = sources.load(str(path))
                baked = bake_of(character, caller="DropTarget")
                player = player_of(baked, "DropTarget", title=character.name, character=character)
                return character, player.bundle
            except OSError as error:
                raise ValueError(f"{name}: {os_reason(error)}") from None
            except ValueError as error:
                text = of_dropped(str(error).replace(str(path), name))
                raise ValueError(text if name in text else f"{name}: {text}") from None


@cache
def module_text() -> str:
    """Return the module that a notebook runs."""
    from lissom.player._source import player_script

    script = player_script("drop.js", "drop_target.js")
    return f"{script}\nexport default {{ render: lissom.renderDrops }};\n"


@cache
def _widget_class() -> Any:
    """Return the class, made when first needed, since its base is in an extra."""
    from lissom.player._source import player_css

    anywidget = require("anywidget", "jupyter", "DropTarget.widget")
    traitlets = require("traitlets", "jupyter", "DropTarget.widget")

    class DropTargetWidget(anywidget.AnyWidget):  # type: ignore[misc, name-defined]
        """A view of a drop target."""

        _esm = module_text()
        _css = player_css("drop_target.css")
        options = traitlets.Dict().tag(sync=True)

        def __init__(self, target: DropTarget) -> None:
            self._target = target
            super().__init__(
                options={"height": target.height, "most": MOST_UPLOAD, "suffixes": SUFFIXES, "advice": ADVICE}
            )
            self.on_msg(self._listen)

        def _listen(self, _widget: Any, content: Message, buffers: Any) -> None:
            """Answer a view; send it errors as text, since nothing else would show them."""
            try:
                answer = self._target._answer(content, buffers)
            except Exception as error:
                self._target._refuse()
                self.send({"kind": "error", "id": content.get("id"), "text": str(error)})
            else:
                if answer is not None:
                    self.send(*answer)

    return DropTargetWidget
