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
from lissom._playground.chain_code import solve_code
from lissom._playground.gizmo import Overlay, gizmos_of, joined
from lissom._playground.inputs import Positions, base_pose, chains_of, rows_of
from lissom._playground.marks import Handle, handles_of, marks_of
from lissom._playground.readout import Row, readout
from lissom._playground.solvers import SOLVERS, WITH_POLES, as_argument, poles_for, solvers_for
from lissom.ik._chain import Chain
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
    Limits are drawn at their joints and change colour when the joint is at its limit. The readout shows the
    residuals. Every solve runs in this process, by the public functions of `lissom.ik`. Without a front end
    use the object itself: `solve`, `pose`, `result`, `picture`.

    Parameters
    ----------
    character : Character
        The character to draw; one without a mesh is drawn as its bones.
    chains : Chain, str, or sequence of them
        Each with its limits. A name stands for the limb of two bones, without limits, that ends at that
        joint or at the one of that role, such as "leftHand"; or for limbs by `lissom.roles`: "leftArm",
        "arms", "rightLeg", "legs", of animals "leftForeLeg", "hindLegs" and so on. A joint of that name wins.
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
        self._chains, self._numbers = chains_of(character, chains, roles)
        self._base = base_pose(character, pose)
        self._offered = solvers_for(self._chains)
        self._solver = self._checked_solver("ik.Playground", solver)
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
        self._gizmos = [gizmo for chain in self._chains for gizmo in gizmos_of(chain)]
        effectors = [int(chain.joints[-1]) for chain in self._chains]
        positions = character.skeleton.positions(self._base)[effectors]
        self._first_targets = rows_of("ik.Playground: targets", self._numbers, targets, positions)
        default_poles = poles_for(self._chains, self._base).astype(positions.dtype)
        self._first_poles = rows_of(
            "ik.Playground: poles", self._numbers, poles, default_poles, may_miss=True
        )
        self._start: NDArray[Any] | None = None
        self._targets, self._poles = self._first_targets, self._first_poles
        self._result, self._seconds = self._solved(self._solver, self._targets, self._poles, None)

    @property
    def character(self) -> Character:
        """The character that is drawn."""
        return self._character

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The chains, in the order of `targets`."""
        return self._chains

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of the solvers that take these chains."""
        return self._offered

    @property
    def solver(self) -> str:
        """Name of the solver; setting another solves again from the input pose."""
        return self._solver

    @solver.setter
    def solver(self, name: str) -> None:
        name = self._checked_solver("ik.Playground.solver", name)
        self._take(name, self._targets, self._poles, None)

    @property
    def targets(self) -> NDArray[Any]:
        """Positions for the effectors, model space, shape (3,) for one chain, or (E, 3). A copy."""
        return self._as_argument(self._targets).copy()

    @targets.setter
    def targets(self, targets: Positions) -> None:
        self.solve(targets)

    @property
    def poles(self) -> NDArray[Any]:
        """Positions that middle joints point to with ``"two_bone"``, as `targets`; NaN for none. A copy."""
        return self._as_argument(self._poles).copy()

    @poles.setter
    def poles(self, poles: Positions) -> None:
        self.solve(poles=poles)

    @property
    def result(self) -> IkResult:
        """The result of the last solve."""
        return self._result

    @property
    def pose(self) -> NDArray[Any]:
        """The pose of the last solve: local trs, shape (J, 10)."""
        return self._result.pose

    def solve(self, targets: Positions | None = None, *, poles: Positions | None = None) -> IkResult:
        """Move targets and poles, and solve; an open widget shows the result.

        Iterative solvers continue from the last pose, as they do while a target is dragged.

        Parameters
        ----------
        targets : array_like, shape (3,) for one chain or (E, 3), or mapping of effector to (3,), optional
            Model space. Those that a mapping does not name stay, and so do all if this is omitted.
        poles : likewise, optional
            For ``"two_bone"``; NaN for none.

        Returns
        -------
        IkResult
            Also kept as `result`.

        Raises
        ------
        TypeError, ValueError
            If a shape or a name does not fit, or a number is not finite; nothing changes then.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> both = lissom.ik.Playground(hero, ["Hand.L", "Hand.R"])
        >>> done = both.solve({"Hand.L": [0.3, 1.3, 0.4]})
        >>> done.reached.tolist()
        [True, True]
        """
        target_rows = rows_of("ik.Playground.solve: targets", self._numbers, targets, self._targets)
        pole_rows = rows_of("ik.Playground.solve: poles", self._numbers, poles, self._poles, may_miss=True)
        return self._take(self._solver, target_rows, pole_rows, self.pose)

    def reset(self) -> IkResult:
        """Restore the initial targets and poles, and solve from the input pose.

        Returns
        -------
        IkResult

        Examples
        --------
        >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L")
        >>> bool(playground.solve([0.1, 2.0, 0.3]).reached)
        False
        >>> bool(playground.reset().reached)
        True
        """
        return self._take(self._solver, self._first_targets, self._first_poles, None)

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
        start = self._start
        if start is not None:
            from_input, _ = self._solved(self._solver, self._targets, self._poles, None)
            if np.array_equal(from_input.pose, self.pose):
                start = None
        options = self._options(self._solver, self._poles)
        if options.get("tolerance") == 1e-4:
            del options["tolerance"]
        targets = self._as_argument(self._targets)
        return solve_code(
            self._character, self.source, self._chains, self._solver, self._base, start, targets, options
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

    def __repr__(self) -> str:
        names = ", ".join(repr(chain.names[-1]) for chain in self._chains)
        return f"<Playground: {self._character.name!r}, {names} by {self._solver}, {self._result!r}>"

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

    def _solved(
        self, name: str, targets: NDArray[Any], poles: NDArray[Any], start: NDArray[Any] | None
    ) -> tuple[IkResult, float]:
        """Solve, and return the result and the seconds that it took."""
        options = self._options(name, poles)
        if start is not None:
            options["start"] = start
        chains, positions = as_argument(self._chains), self._as_argument(targets)
        begin = time.perf_counter()
        result = SOLVERS[name](chains, self._base, positions, **options)
        return result, time.perf_counter() - begin

    def _take(
        self, name: str, targets: NDArray[Any], poles: NDArray[Any], start: NDArray[Any] | None
    ) -> IkResult:
        """Solve, keep arguments and result, and update an open widget."""
        if name == WITH_POLES:
            start = None  # so that the same target has the same answer, whatever came before
        result, seconds = self._solved(name, targets, poles, start)
        self._solver, self._targets, self._poles, self._start = name, targets, poles, start
        self._result, self._seconds = result, seconds
        if "widget" in self.__dict__:
            self.widget.show()
        return result

    def _options(self, name: str, poles: NDArray[Any]) -> dict[str, Any]:
        options: dict[str, Any] = {"tolerance": self._tolerance}
        if self._max_iterations is not None:
            options["max_iterations"] = self._max_iterations
        if name == WITH_POLES and not np.isnan(poles).all():
            options["pole"] = self._as_argument(poles)
        return options

    def _as_argument(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows (E, 3) as arguments of a solver: (3,) for one chain."""
        return rows[0] if len(self._chains) == 1 else rows

    def _readout(self) -> list[Row]:
        return readout(self._chains, self._solver, self._result, self._seconds)

    def _model_matrices(self) -> NDArray[Any]:
        return self._character.skeleton.model_matrices(self.pose)

    def _overlay(self, model: NDArray[Any]) -> Overlay:
        """Return gizmos, chains and the lines to targets and poles, model space."""
        limited = self._result.limited
        drawn = [gizmo.draw(self.pose, model, bool(limited[gizmo.joint])) for gizmo in self._gizmos]
        poles = self._poles if self._solver == WITH_POLES else None
        return joined([*drawn, marks_of(self._chains, model, self._targets, poles)])

    def _handles(self) -> list[Handle]:
        poles = self._poles if self._solver == WITH_POLES else None
        return handles_of(self._chains, self._targets, poles)

    def _checked_solver(self, function: str, name: object) -> str:
        if not isinstance(name, str) or name not in SOLVERS:
            raise ValueError(f"{function}: {unknown_name('solver', str(name), SOLVERS)}")
        if name not in self._offered:
            raise ValueError(
                f"{function}: solver must be one of {', '.join(self._offered)} for these chains, got "
                f"{name!r}, which takes limbs of two bones that share no joint"
            )
        return name


def _checked_camera(camera: Camera | None) -> Camera | None:
    from lissom._view.camera import Camera

    if camera is not None and not isinstance(camera, Camera):
        raise TypeError(f"ik.Playground: camera must be a lissom.gpu.Camera, got {camera!r}")
    return camera
