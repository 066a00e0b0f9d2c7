# SPDX-License-Identifier: MIT
"""The kernel's side of a playground in a notebook: an anywidget that answers drags with frames."""

from __future__ import annotations

import threading
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._playground import editing, moves
from lissom._playground.limit_edits import KINDS, limit_rows
from lissom._playground.line import Line, Reply, is_near
from lissom._playground.marks import TARGETS
from lissom._playground.overlay import place_rows, shape_rows
from lissom._playground.requests import checked

if TYPE_CHECKING:
    from lissom._playground.gizmo import Gizmo
    from lissom._playground.playground import Playground
    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Palette, Skin

UNSCALED = 1e-4  # scales this near to 1 count as none, in palettes as well

SOURCES = (
    "playground_parts.js",
    "playground_line.js",
    "playground.js",
)  # of the folder of the player, in the order in which they are joined
SHOWN = 240  # solves whose residuals a view that is opened shows

Message = dict[str, Any]


class Frames:
    """A playground's state as the player draws it: palettes, overlay and text.

    A message has the shapes of limits only where they are other ones than in the message before.
    """

    def __init__(self, playground: Playground) -> None:
        self._playground = playground
        self._shaped: list[Gizmo] | None = None  # those whose shapes were sent last
        self._shapes_sent = 0
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

    def message(self, whole: bool = False) -> tuple[Message, list[bytes]]:
        """Return the message about the last solve, and its buffers, all of float32.

        They are linear and dual palettes, places of shapes (S, 15) and lines (N, 2, 7); where the shapes are
        new, or with `whole`, also the corners of their lines (N, 2, 5) and triangles (M, 3, 5).
        """
        from lissom.gpu._palettes import palette_texels

        playground = self._playground
        model = playground._model_matrices()
        palette = self._palette(model)
        linear = palette_texels(palette, "linear", "ik.Playground")
        dual = self._strided(palette_texels(palette, "dual_quat", "ik.Playground"))
        arrays = [linear, dual, place_rows(playground._places(model)), playground._marks(model).lines]
        gizmos = playground._gizmos()
        if whole or gizmos is not self._shaped:
            arrays += shape_rows([shape for gizmo in gizmos for shape in gizmo.shapes])
            self._shaped = gizmos
            self._shapes_sent += 1
        state, recording = playground._state, playground._recording
        undo, redo = playground._history.directions
        content = {
            "kind": "frame",
            "solver": playground.solver,
            "targets": state.targets.tolist(),
            "oriented": playground._oriented(),
            "handles": [handle._asdict() for handle in playground._handles()],
            "readout": [list(row) for row in playground._readout()],
            "undo": undo,
            "redo": redo,
            "residuals": self._shares(playground._residuals.array(1)),
            "recording": recording and {"on": recording.is_on, "seconds": recording.duration},
            "limits": limit_rows(state.chains, playground._oriented()) if playground._edits_limits else None,
            "shapes": self._shapes_sent,
        }
        return content, [array.tobytes() for array in arrays]

    def _shares(self, residuals: NDArray[np.float64]) -> list[list[float]]:
        """Return rows of seconds and residuals as fractions of the chains' lengths."""
        lengths = [chain.length or 1.0 for chain in self._playground.chains]
        return (residuals / [1.0, *lengths]).tolist()  # type: ignore[no-any-return]

    def first(self) -> Message:
        """Return what only the first message to a view holds: names, kinds of limits, earlier residuals."""
        playground = self._playground
        return {
            "effectors": [chain.names[-1] for chain in playground.chains],
            "colors": [TARGETS[index % len(TARGETS)] for index in range(len(playground.chains))],
            "tolerance": playground._tolerance,
            "kinds": KINDS,
            "past": self._shares(playground.residuals[-SHOWN:]),
        }

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


class Request(threading.local):
    """What is being answered, in each thread: JupyterLab's requests have one of their own, and cells another.

    Attributes
    ----------
    answer : dict
        What an answer says of its request.
    has_answered : bool
    reply : callable or None
        Sends an answer by the line on which it was asked.
    """

    def __init__(self) -> None:
        self.answer: Message = {}
        self.has_answered = False
        self.reply: Reply | None = None


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
    from lissom._base.stripped import stripped
    from lissom.player._source import file_text, player_script

    glue = "\n".join(stripped(file_text(f"js/{name}")) for name in SOURCES)
    return f"{player_script()}\n{glue}\nexport default {{ render: renderPlayground }};\n"


@cache
def style_text() -> str:
    """Return the style sheet of player and playground."""
    from lissom._base.stripped import stripped
    from lissom.player._source import file_text, player_css

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
            self._request = Request()
            self._line: Line | None = None
            self._views: set[str] = set()  # that have asked for anything, and are not known to be gone
            super().__init__(
                bundle=self._frames.bundle(),
                solvers=list(playground.solvers),
                options={"height": playground.height, "state": _state(playground)},
            )
            self.on_msg(self._listen)

        def show(self, first: bool = False) -> None:
            """Send the last solve to every view; `first`: with what a view that is opened needs."""
            content, buffers = self._frames.message(whole=first)
            more = self._frames.first() if first else {}
            self.say(content | more, buffers)

        def say(self, content: Message, buffers: list[bytes] | None = None) -> None:
            """Send a message, as the answer to the request that is being done if there is one."""
            request = self._request
            request.has_answered = True
            content, buffers = content | request.answer, buffers or []
            if request.reply is None:
                self.send(content, buffers)
                return
            request.reply(content, buffers)
            if self._views - {str(request.answer["view"])}:
                self.send(content | {"replied": True}, buffers)

        def close(self) -> None:
            if self._line is not None:
                self._line.close()
                self._line = None
            super().close()

        def address(self, origin: object) -> str | None:
            """Return where a page of this machine finds the line; None for others, or without one."""
            if not is_near(origin):
                return None
            if self._line is None or not self._line.is_open:
                try:
                    self._line = Line(self._take, self._views.discard)
                except (ImportError, RuntimeError, OSError):
                    return None
            return self._line.address(str(origin))

        def _listen(self, _widget: Any, content: Message, _buffers: Any) -> None:
            """Do what a view requests by Jupyter's connection."""
            if isinstance(content, dict) and content.get("kind") == "nudge":
                return  # sent only to flush the connection: see playground.js
            self._take(content)

        def _take(self, content: Message, reply: Reply | None = None) -> None:
            """Do what a view requests; send it errors as text, since nothing else would show them."""
            request = self._request
            request.has_answered, request.reply = False, reply
            if isinstance(content, dict):
                view, kind = content.get("view"), content.get("kind")
                request.answer = {"view": view, "sequence": content.get("sequence"), "asked": kind}
                self._views.add(str(view))
                if kind == "hello":
                    request.answer["line"] = self.address(content.get("origin"))
            try:
                _do(self._playground, self, checked(self._playground, content))
                if not request.has_answered:  # such as to undo where there is nothing to be undone
                    self.show()
            except Exception as error:
                self.say({"kind": "error", "text": str(error)})
            finally:
                request.answer, request.reply = {}, None

    return PlaygroundWidget


def _do(playground: Playground, widget: Any, request: Message) -> None:
    """Do what a checked request asks for."""
    kind = request["kind"]
    if kind == "drag":
        seconds = playground._now() - 1e-3 * request["age"]
        moves.move(playground, request["moves"], request["gesture"], seconds)
    elif kind == "orient":
        moves.orient(playground, request["index"], request["on"])
    elif kind == "limit":
        editing.choose_limit(playground, request["joint"], request["name"])
    elif kind == "bound":
        angle = request["degrees"]
        bounds = {request["name"]: None if angle is None else float(np.radians(angle))}
        editing.bound_limit(playground, request["joint"], bounds, None)
    elif kind == "edit":
        playground._edits_limits = request["on"]
    elif kind == "solver":
        playground.solver = request["name"]
    elif kind == "seek":
        playground.seek(request["seconds"])
    elif kind == "code":
        widget.say({"kind": "code", "text": playground.code()})
    elif kind == "hello":
        widget.show(first=True)
    else:  # reset, undo, redo, record, stop
        getattr(playground, kind)()


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
