# SPDX-License-Identifier: MIT
"""The playground of inverse kinematics: targets are dragged, the kernel solves, the notebook draws."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.extras import how_to_install
from lissom._base.names import unknown_name
from lissom._base.numbers import check_number, whole_number
from lissom._base.set_module import set_module
from lissom._playground import drawing, editing, recorder, solving
from lissom._playground.body import carrier_of, without_body
from lissom._playground.chain_code import solve_code
from lissom._playground.gizmo import Gizmo
from lissom._playground.inputs import Positions, base_pose, chains_of, rows_of
from lissom._playground.readout import Row, readout
from lissom._playground.recording import Recording
from lissom._playground.solvers import SOLVERS, WITH_POLES, poles_for, solvers_for
from lissom._playground.state import History, Residuals, State
from lissom.ik._chain import Chain
from lissom.ik._limits import Limit
from lissom.ik._result import IkResult

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._formats.picture import Picture
    from lissom._roles.given import Hints
    from lissom.gpu import Camera

__all__ = ["Playground"]

SolverName = Literal["two_bone", "ccd", "fabrik", "damped_least_squares"]


@set_module("lissom.ik")
class Playground:
    """Inverse kinematics with targets to drag in a notebook.

    A notebook shows it as a widget: drag the targets (and for ``"two_bone"`` the poles) and the limbs follow.
    Limits are drawn at their joints and change colour when the joint is at its limit; their bounds can be
    dragged, too. The readout shows the residuals. Every solve runs in this process, by the public functions
    of `lissom.ik`. Without a front end use the object itself: `solve`, `set_limit`, `pose`, `picture`.

    Parameters
    ----------
    character : Character
        The character to draw; one without a mesh is drawn as its bones.
    chains : Chain, str, or sequence of them
        Each with its limits. A name stands for the limb of two bones, without limits, that ends there, as
        `ik.limb` finds it: "hand.r", "leftFoot" or what the rig calls it; or for limbs by `lissom.roles`:
        "leftArm", "arms", "rightLeg", "legs", of animals "leftForeLeg", "hindLegs" and so on; or "body":
        legs, arms and head, of which arms and head begin at the spine.
    pose : array_like, shape (J, 10), optional
        Input pose of all solves, local trs; the rest pose if omitted.
    solver : {"fabrik", "two_bone", "ccd", "damped_least_squares"}
        Solver to start with. ``"two_bone"`` only for limbs of two bones.
    targets : array_like, shape (3,) for one chain or (E, 3), or mapping of effector to (3,), optional
        Positions for the effectors, model space; their positions in the pose if omitted. Effectors by name,
        or as `chains` names them.
    poles : array_like, shape (3,) or (E, 3), or mapping of effector to (3,), optional
        For ``"two_bone"``: positions that the middle joints point to, model space; NaN for none. If omitted,
        in front of the middle joints, so that limbs stay bent in the same plane.
    orientations : array_like, shape (4,) or (E, 4), or mapping of effector to (4,), optional
        Rotations for the effectors, model space, unit quaternions x, y, z, w, as solvers take them; NaN for
        none, as all are if omitted.
    body : bool, optional
        Whether a handle moves the body: the lowest joint that all chains hang from, such as the hips, while
        hands and feet keep their targets. If omitted, where `chains` names "body".
    tolerance : float
        Distance that counts as reached, as a fraction of the chain's length.
    max_iterations : int, optional
        The solver's own if omitted.
    method : {"linear", "dual_quat"}, optional
        Initial skinning method; that of the character if omitted.
    camera : lissom.gpu.Camera, optional
        Initial camera; one that frames the character if omitted.
    source : path-like, optional
        File that the character was loaded from, for `code`.
    height : int
        Height of the picture in the notebook, CSS pixels.
    roles : Roles, mapping of str to str, or path, optional
        For names of limbs and roles: what `lissom.roles` returned of the character, or hints to it.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a shape, a solver or a name does not fit, no joint plays a role that a limb needs, or chains or
        roles are not of the character's skeleton.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> knee = {"LowerLeg.L": lissom.ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
    >>> leg = lissom.ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", limits=knee)
    >>> playground = lissom.ik.Playground(hero, leg)
    >>> done = playground.solve([0.1, 0.5, 0.3])
    >>> bool(done.reached)
    True
    """

    def __init__(
        self,
        character: Character,
        chains: Chain | str | Sequence[Chain | str],
        *,
        pose: ArrayLike | None = None,
        solver: SolverName = "fabrik",
        targets: Positions | None = None,
        poles: Positions | None = None,
        orientations: Positions | None = None,
        body: bool | None = None,
        tolerance: float = 1e-4,
        max_iterations: int | None = None,
        method: Literal["linear", "dual_quat"] | None = None,
        camera: Camera | None = None,
        source: str | os.PathLike[str] | None = None,
        height: int = 480,
        roles: Hints = None,
    ) -> None:
        from lissom._pictures.render import check_character

        check_character("ik.Playground", character)
        self._character = character
        expanded = without_body(character, chains, roles)
        listed, self._numbers = chains_of(character, expanded, roles)
        self._carrier = carrier_of(listed) if (expanded is not chains if body is None else body) else None
        base = base_pose(character, pose)
        self._offered = solvers_for(listed)
        solver_name = self._checked_solver("ik.Playground", solver)
        self._tolerance = check_number(tolerance, "ik.Playground: tolerance", above_zero=True)
        self._max_iterations = (
            None if max_iterations is None else whole_number(max_iterations, "ik.Playground: max_iterations")
        )
        if method not in (None, "linear", "dual_quat"):
            raise ValueError(f"ik.Playground: method must be 'linear' or 'dual_quat', got {method!r}")
        self.method = method or ("linear" if character.method == "linear" else "dual_quat")
        self.camera = _checked_camera(camera)
        self.source = None if source is None else os.fspath(source)
        self.height = whole_number(height, "ik.Playground: height", least=120)
        effectors = [int(chain.joints[-1]) for chain in listed]
        positions = character.skeleton.positions(base)[effectors]
        default_poles = poles_for(listed, base).astype(positions.dtype)
        none = np.full((len(listed), 4), np.nan, positions.dtype)
        what = "ik.Playground"
        first = State(
            listed,
            solver_name,
            base,
            rows_of(f"{what}: targets", self._numbers, targets, positions),
            rows_of(f"{what}: poles", self._numbers, poles, default_poles, may_miss=True),
            rows_of(f"{what}: orientations", self._numbers, orientations, none, may_miss=True),
            None,
            _NOTHING,
            0.0,
        )
        self._edits_limits = False
        self._gizmos_for: tuple[object, object] | None = None
        self._gizmos_made: list[Gizmo] = []
        self._history, self._residuals = History(), Residuals()
        self._recording: Recording | None = None
        self._began = time.monotonic()
        self._first = self._state = self._solved(first)
        self._residuals.add(0.0, self.result)

    @property
    def character(self) -> Character:
        """The character that is drawn."""
        return self._character

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The chains with the limits that they have now, in the order of `targets`."""
        return self._state.chains

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of the solvers that take these chains."""
        return self._offered

    @property
    def solver(self) -> str:
        """Name of the solver; setting another solves again from the input pose."""
        return self._state.solver

    @solver.setter
    def solver(self, name: str) -> None:
        name = self._checked_solver("ik.Playground.solver", name)
        self._take(self._state._replace(solver=name, start=None))

    @property
    def targets(self) -> NDArray[Any]:
        """Positions for the effectors, model space, shape (3,) for one chain, or (E, 3). A copy."""
        return self._as_argument(self._state.targets).copy()

    @targets.setter
    def targets(self, targets: Positions) -> None:
        self.solve(targets)

    @property
    def poles(self) -> NDArray[Any]:
        """Positions that middle joints point to with ``"two_bone"``, as `targets`; NaN for none. A copy."""
        return self._as_argument(self._state.poles).copy()

    @poles.setter
    def poles(self, poles: Positions) -> None:
        self.solve(poles=poles)

    @property
    def orientations(self) -> NDArray[Any]:
        """Rotations for the effectors, model space, shape (4,) or (E, 4); NaN for none. A copy."""
        return self._as_argument(self._state.orientations).copy()

    @orientations.setter
    def orientations(self, orientations: Positions) -> None:
        self.solve(orientations=orientations)

    @property
    def body(self) -> NDArray[Any] | None:
        """Position of the joint that carries all chains, model space, shape (3,); None without its handle."""
        if self._carrier is None:
            return None
        position: NDArray[Any] = self._character.skeleton.positions(self._state.base)[self._carrier]
        return position.copy()

    @property
    def result(self) -> IkResult:
        """The result of the last solve."""
        return self._state.result

    @property
    def pose(self) -> NDArray[Any]:
        """The pose of the last solve: local trs, shape (J, 10)."""
        return self._state.result.pose

    @property
    def limits(self) -> dict[str, Limit]:
        """The limits of all chains by the names of their joints, as they were passed or edited."""
        return editing.limits_of(self.chains)

    @property
    def residuals(self) -> NDArray[np.float64]:
        """Residuals of the last 1000 solves, shape (N, 1 + E): seconds since it was made, one per chain."""
        return self._residuals.array()

    def code(self) -> str:
        """Return runnable Python that reproduces `pose`: character, chains with limits, targets, the call.

        Returns
        -------
        str
            Its last line is ``pose = done.pose``. A character that is not one of the samples is loaded from
            `source`, or from a placeholder to replace by the file's path. Where the result depends on the
            pose that the solver continued from, the code holds that pose, too.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> print(lissom.ik.Playground(hero, "Foot.L", targets=[0.1, 0.5, 0.3]).code())
        import lissom
        from lissom import ik
        <BLANKLINE>
        hero = lissom.samples.humanoid()
        pose = hero.skeleton.rest
        chain = ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L")
        targets = [0.1, 0.5, 0.3]  # model space
        done = ik.fabrik(chain, pose, targets)
        print(done)
        pose = done.pose
        <BLANKLINE>
        """
        now = self._state
        start = now.start
        if start is not None:
            from_input = self._solved(now._replace(start=None)).result
            if np.array_equal(from_input.pose, self.pose):
                start = None
        options = self._options(now)
        orientations = options.pop("orientations", None)
        if options.get("tolerance") == 1e-4:
            del options["tolerance"]
        return solve_code(
            self._character,
            self.source,
            now.chains,
            now.solver,
            now.base,
            start,
            self._as_argument(now.targets),
            options,
            orientations,
        )

    @property
    def readout(self) -> str:
        """Text below the picture of the widget: residuals, iterations, joints at a limit, time."""
        return "\n".join(f"{row.name}: {row.text}" for row in self._readout())

    def picture(self, width: int = 720, height: int | None = None) -> Picture:
        """Draw the character with targets and limits, without a browser.

        By OpenGL if available, else as a sketch without it.

        Parameters
        ----------
        width, height : int
            Pixels; the height of the widget if omitted.

        Returns
        -------
        Picture

        Examples
        --------
        >>> lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L").picture(320, 240)
        Picture(320 x 240)
        """
        from lissom._playground.picture import drawn

        return drawn(self, width, self.height if height is None else height)

    @cached_property
    def widget(self) -> Any:
        """The anywidget that notebooks show, made when first asked for.

        Raises
        ------
        ImportError
            Without the extra ``jupyter``.
        """
        from lissom._playground.widget import make_widget

        return make_widget(self)

    solve = solving.solve
    reset = solving.reset
    set_limit = editing.set_limit
    undo = editing.undo
    redo = editing.redo
    record = recorder.record
    stop = recorder.stop
    recorded = recorder.recorded
    seek = recorder.seek
    _move = solving.move
    _solved = solving.solved
    _take = solving.take
    _gizmos = drawing.gizmos
    _oriented = drawing.oriented
    _overlay = drawing.overlay
    _places = drawing.places
    _marks = drawing.marks
    _handles = drawing.handles

    def __repr__(self) -> str:
        names = ", ".join(repr(chain.names[-1]) for chain in self.chains)
        return f"<Playground: {self._character.name!r}, {names} by {self.solver}, {self.result!r}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        bundle["image/png"] = base64.b64encode(self.picture()._repr_png_()).decode()
        try:
            shown = self.widget._repr_mimebundle_() or {}
        except ImportError:
            bundle["text/plain"] += f"\nTargets cannot be dragged here: {how_to_install('jupyter')}"
            return bundle
        data = shown[0] if isinstance(shown, tuple) else shown
        return data | bundle

    def _show(self, state: State, seconds: float | None = None) -> IkResult:
        """Keep a state that is solved, record it, and update an open widget."""
        self._state = state
        if self._recording is not None and self._recording.is_on:
            self._recording.add(state, self._now() if seconds is None else seconds)
        self._update()
        return state.result

    def _update(self) -> None:
        if "widget" in self.__dict__:
            self.widget.show()

    def _now(self) -> float:
        """Return the seconds since the playground was made."""
        return time.monotonic() - self._began

    def _options(self, state: State) -> dict[str, Any]:
        options: dict[str, Any] = {"tolerance": self._tolerance}
        if self._max_iterations is not None:
            options["max_iterations"] = self._max_iterations
        if state.solver == WITH_POLES and not np.isnan(state.poles).all():
            options["pole"] = self._as_argument(state.poles)
        if not np.isnan(state.orientations).all():
            options["orientations"] = self._as_argument(state.orientations)
        return options

    def _as_argument(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows (E, N) as arguments of a solver: (N,) for one chain."""
        return rows[0] if len(rows) == 1 else rows

    def _readout(self) -> list[Row]:
        return readout(self.chains, self.solver, self.result, self._state.seconds, self._oriented())

    def _model_matrices(self) -> NDArray[Any]:
        return self._character.skeleton.model_matrices(self.pose)

    def _checked_solver(self, function: str, name: object) -> str:
        if not isinstance(name, str) or name not in SOLVERS:
            raise ValueError(f"{function}: {unknown_name('solver', str(name), SOLVERS)}")
        if name not in self._offered:
            raise ValueError(
                f"{function}: solver must be one of {', '.join(self._offered)} for these chains, got "
                f"{name!r}, which takes limbs of two bones that share no joint"
            )
        return name


_NOTHING: Any = None  # the result of a state that is not solved yet


def _checked_camera(camera: Camera | None) -> Camera | None:
    from lissom._view.camera import Camera

    if camera is not None and not isinstance(camera, Camera):
        raise TypeError(f"ik.Playground: camera must be a lissom.gpu.Camera, got {camera!r}")
    return camera
