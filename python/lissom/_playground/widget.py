# SPDX-License-Identifier: MIT
"""The kernel's side of a playground in a notebook: an anywidget that answers drags with frames."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require

if TYPE_CHECKING:
    from lissom._playground.playground import Playground
    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Palette, Skin

UNSCALED = 1e-4  # scales this near to 1 count as none, in palettes as well

Message = dict[str, Any]


class Frames:
    """A playground's state as the player draws it: palettes, overlay and text."""

    def __init__(self, playground: Playground) -> None:
        self._playground = playground
        self.mesh, self.skin = _drawn(playground)
        pose = np.asarray(playground.pose)
        # Where joints are scaled, so is the palette as soon as one of them rotates.
        self.scaled = bool((np.abs(pose[:, 7:] - 1) > UNSCALED).any())
        self.scaled |= self._palette(self._playground._model_matrices()).scales is not None

    def bundle(self) -> bytes:
        """Return the mesh as the player reads it."""
        from lissom._view.front import azimuth_before
        from lissom.player import bones_of, bundle

        character = self._playground.character
        return bundle(
            self.mesh,
            self.skin,
            bones=bones_of(character.skeleton.parents, self.skin),
            title=character.name,
            names=[character.skeleton.names[joint] for joint in self.skin.joints.tolist()],
            size=character.size,
            scaled=self.scaled,
            azimuth=azimuth_before(character.skeleton),
        )

    def message(self) -> tuple[Message, list[bytes]]:
        """Return the message about the last solve, and the buffers linear, dual, lines and triangles."""
        from lissom.gpu._palettes import palette_texels

        playground = self._playground
        model = playground._model_matrices()
        palette = self._palette(model)
        linear = palette_texels(palette, "linear", "ik.Playground")
        dual = self._strided(palette_texels(palette, "dual_quat", "ik.Playground"))
        overlay = playground._overlay(model)
        content = {
            "kind": "frame",
            "solver": playground.solver,
            "targets": np.atleast_2d(playground.targets).tolist(),
            "handles": [handle._asdict() for handle in playground._handles()],
            "readout": [list(row) for row in playground._readout()],
        }
        return content, [
            linear.tobytes(),
            dual.tobytes(),
            overlay.lines.tobytes(),
            overlay.triangles.tobytes(),
        ]

    def _palette(self, model: NDArray[Any]) -> Palette:
        return self.skin.palette(model.astype(np.float32))

    def _strided(self, dual: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return dual quaternions with their scales, or without, as the bundle says."""
        if not self.scaled:
            return dual[:, :2]
        if dual.shape[1] == 5:
            return dual
        unscaled = np.broadcast_to(np.eye(3, 4, dtype=np.float32), (len(dual), 3, 4))
        return np.concatenate([dual, unscaled], axis=1)


def make_widget(playground: Playground) -> Any:
    """Return the widget of a playground.

    Raises
    ------
    ImportError
        Without the extra ``jupyter``.
    """
    return _widget_class()(playground)


@cache
def module_text() -> str:
    """Return the module that a notebook runs: the player, and the playground around it."""
    from lissom.player._source import file_text, player_script, stripped

    glue = stripped(file_text("js/playground.js"))
    return f"{player_script()}\n{glue}\nexport default {{ render: renderPlayground }};\n"


@cache
def style_text() -> str:
    """Return the style sheet of player and playground."""
    from lissom.player._source import file_text, player_css, stripped

    return f"{player_css()}\n{stripped(file_text('playground.css'))}\n"


@cache
def _widget_class() -> Any:
    """Return the class, made when first needed, since its base is in an extra."""
    anywidget = require("anywidget", "jupyter", "ik.Playground.widget")
    traitlets = require("traitlets", "jupyter", "ik.Playground.widget")

    class PlaygroundWidget(anywidget.AnyWidget):  # type: ignore[misc, name-defined]
        """A view of a playground that solves while handles are dragged."""

        _esm = module_text()
        _css = style_text()
        bundle = traitlets.Bytes().tag(sync=True)
        solvers = traitlets.List(traitlets.Unicode()).tag(sync=True)
        options = traitlets.Dict().tag(sync=True)

        def __init__(self, playground: Playground) -> None:
            self._playground, self._frames = playground, Frames(playground)
            self._answer: Message = {}
            super().__init__(
                bundle=self._frames.bundle(),
                solvers=list(playground.solvers),
                options={"height": playground.height, "state": _state(playground)},
            )
            self.on_msg(self._listen)

        def show(self) -> None:
            """Send the last solve to every view."""
            content, buffers = self._frames.message()
            self.send(content | self._answer, buffers)

        def _listen(self, _widget: Any, content: Message, _buffers: Any) -> None:
            """Do what a view requests; send it errors as text, since nothing else would show them."""
            kind = content.get("kind")
            if kind == "nudge":  # sent only to flush the connection: see playground.js
                return
            self._answer = {
                "view": content.get("view"),
                "sequence": content.get("sequence"),
                "asked": kind,
            }
            try:
                _do(self._playground, self, content)
            except Exception as error:
                self.send({"kind": "error", "text": str(error)} | self._answer)
            finally:
                self._answer = {}

    return PlaygroundWidget


def _do(playground: Playground, widget: Any, content: Message) -> None:
    kind = content.get("kind")
    if kind == "drag":
        rows = {"target": np.atleast_2d(playground.targets), "pole": np.atleast_2d(playground.poles)}
        for handle, position in content["moves"].items():
            which, _, index = handle.partition(":")
            rows[which][int(index)] = position
        playground.solve(rows["target"], poles=rows["pole"])
    elif kind == "solver":
        playground.solver = content["name"]
    elif kind == "reset":
        playground.reset()
    elif kind == "code":
        widget.send({"kind": "code", "text": playground.code()} | widget._answer)
    else:
        widget.show()


def _drawn(playground: Playground) -> tuple[Mesh, Skin]:
    """Return the character's mesh and skin, or those that show its bones."""
    character = playground.character
    if character.mesh is not None and character.skin is not None:
        return character.mesh, character.skin
    from lissom._view.bones import skeleton_mesh

    return skeleton_mesh(character.skeleton)


def _state(playground: Playground) -> Message:
    """Return the player's initial state."""
    state: Message = {"method": playground.method}
    if playground.camera is not None:
        camera = asdict(playground.camera)
        state["camera"] = camera | {"target": list(camera["target"])}
    return state
