# SPDX-License-Identifier: MIT
"""Many instances of one character, each in a pose of its own that is set anew for every picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_floats, refuse_masked
from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import whole_number
from lissom._character.character import Character
from lissom._crowd.bounds import placed_boxes, visible, world_from_model
from lissom._crowd.faces import largest, target_reach
from lissom._crowd.instances import check_dtype, check_places, instance_rows, plain_instances
from lissom._crowd.pose_bounds import PoseBounds
from lissom._rig.morph_weights import morph_weight_rows
from lissom._view.camera import Camera
from lissom._view.front import azimuth_before
from lissom._view.light import key_direction
from lissom.gpu._arguments import check_joint_name, checked_mesh, context_of
from lissom.gpu._crowd_drawing import CrowdDrawing, Moments, checked_influence_count, has_float_targets
from lissom.gpu._crowd_levels import checked_levels
from lissom.gpu._crowd_meshes import CrowdMeshes
from lissom.gpu._live_poses import LivePoses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from lissom._crowd.bounds import Boxes
    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.gpu._crowd_playback import Which
    from lissom.gpu._stage import Stage

__all__ = ["LiveCrowd"]


class LiveCrowd(CrowdDrawing):
    """A character, drawn many times in poses that no bake holds: those of `Players`, of solvers, your own.

    Poses become palettes on the CPU, in the core, and are uploaded as float32 numbers for the next picture.
    All else is as for a `Crowd`: culling, levels of detail, shadows, what joints carry; both are drawn in one
    scene.

    Parameters
    ----------
    character : Character
        With a mesh.
    count : int
        Number of instances, at the origin; `instances` moves them.
    stage : Stage, optional
        Whose context holds the buffers; the process's own when omitted, as for a stage.
    mesh : Mesh or PreparedMesh, optional
        What to draw; the character's own when omitted.
    method : {"linear", "dual_quat"}, optional
        Skinning method. When omitted, the character's own where it is one of these, else dual quaternions.
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,), optional
        Copied. Their clips and times are not read; `plain_instances` when omitted.
    direct : bool, optional
        As for `Crowd`.
    influences, levels, two_sided : optional
        As for `Crowd`.

    Attributes
    ----------
    direct : bool
        Whether palettes are computed per vertex.
    two_sided : bool or None
        Set it at any time.

    Raises
    ------
    TypeError
        If `character` is not a Character, or another argument has the wrong type.
    ValueError
        If there is no mesh, it names palette rows that the character lacks, or another argument does not fit.

    See Also
    --------
    Crowd : of a bake, which costs the CPU next to nothing.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> players = lissom.Players(hero.skeleton, 20)
    >>> players.play(players.ids, hero.clips["walk"], at=np.linspace(0, 1, 20))
    >>> with lissom.gpu.Stage(320, 180) as stage, lissom.gpu.LiveCrowd(hero, 20) as crowd:
    ...     crowd.instances["position"][:, 0] = np.arange(20)
    ...     for _ in range(2):
    ...         crowd.pose(players.step(1 / 30))
    ...         picture = stage.render(crowd)
    >>> picture
    Picture(320 x 180)
    """

    _name = "LiveCrowd"
    _poses: LivePoses
    _beyond: NDArray[np.floating]  # how far morph targets move vertices at most, bind space

    def __init__(
        self,
        character: Character,
        count: int,
        *,
        stage: Stage | None = None,
        mesh: Mesh | PreparedMesh | None = None,
        method: str | None = None,
        instances: NDArray[Any] | None = None,
        direct: bool | None = None,
        influences: int | None = None,
        levels: Sequence[tuple[Mesh | PreparedMesh, float]] | None = None,
        two_sided: bool | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(character, Character):
            raise TypeError(f"LiveCrowd: character must be a Character, got {type(character).__name__}")
        count = whole_number(count, "LiveCrowd: count", least=0)
        if character.skin is None:
            raise ValueError(f"LiveCrowd: character must have a mesh, got {character.name!r} without")
        whole = checked_mesh(character.mesh if mesh is None else mesh, "LiveCrowd: mesh")
        self._skin = character.skin
        last = int(whole.indices[whole.weights > 0].max(initial=0))
        if last >= len(self._skin):
            raise ValueError(
                f"LiveCrowd: mesh must have palette rows below {len(self._skin)}, the character's count, "
                f"got {last}"
            )
        coarser = None if levels is None else checked_levels(levels, "LiveCrowd")
        max_count = checked_influence_count(influences, "LiveCrowd")
        self._character = character
        self._whole = whole
        self._reach = None if whole.morphs is None else target_reach(whole.morphs)
        self._bounds = PoseBounds(self._skin, whole)
        self.instances = plain_instances(count) if instances is None else instances
        if len(self.instances) != count:
            raise ValueError(f"LiveCrowd: instances must have shape ({count},), got {self.instances.shape}")
        self.two_sided = two_sided
        self.pose(np.broadcast_to(character.skeleton.rest, (count, len(character.skeleton), 10)))
        self.method = _method(character) if method is None else method
        self._context = context_of(stage, "LiveCrowd")
        self._meshes = CrowdMeshes(self._context, whole, coarser, max_count)
        self._poses = LivePoses(self._context)
        self.direct = not has_float_targets(self._context) if direct is None else direct

    def __len__(self) -> int:
        return len(self.instances)

    def __repr__(self) -> str:
        released = ", released" if self._released else ""
        return (
            f"LiveCrowd({len(self)} of {self._character.name!r}, {self._whole.vertex_count} vertices, "
            f"{self.method}{released})"
        )

    @property
    def instances(self) -> NDArray[Any]:
        """Where instances are, of `INSTANCE_DTYPE`, ``(count,)``: change them at any time, in place.

        Assigned instances are copied. Where their number differs, `pose` must follow.
        """
        return self._instances

    @instances.setter
    def instances(self, instances: NDArray[Any]) -> None:
        check_dtype(instances, "LiveCrowd")
        self._instances = instances.copy()

    @property
    def method(self) -> str:
        """Skinning method, ``"linear"`` or ``"dual_quat"``; set it at any time."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        if method not in BAKED_METHODS:
            known = ", ".join(map(repr, BAKED_METHODS))
            raise ValueError(f"LiveCrowd: method must be one of {known}, got {method!r}")
        self._method = method
        self._stale = np.ones(len(self._low), bool)  # of the poses: there may be other instances by now

    def pose(
        self, poses: ArrayLike, morphs: ArrayLike | None = None, *, due: ArrayLike | None = None
    ) -> None:
        """Set the poses of all instances, until the next call.

        Parameters
        ----------
        poses : array_like, shape (count, J, 10)
            Local poses, such as those that `Players.step` returns: instance i is drawn in pose i.
            Rotations are taken as unit, as by `Skeleton.model_matrices`.
        morphs : array_like, shape (count, M) or (M,), optional
            Weights of the mesh's morph targets, of which the 8 that move most are drawn; the defaults when
            omitted. They are those of all instances, whoever is due.
        due : array_like of bool, shape (count,), optional
            Whose poses differ from those of the last call, such as `Players.is_posed`: no palette is computed
            for the others. All when omitted.

        Raises
        ------
        TypeError, ValueError
            If an array has another shape or type, or a number is not finite; or `due` is passed where the
            last call had poses of another number.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.LiveCrowd(hero, 3) as crowd:
        ...     crowd.pose(hero.clips["walk"].sample([0.0, 0.3, 0.6]))
        ...     crowd.deformed().shape == (3, hero.mesh.vertex_count, 3)
        True
        """
        changed = self._checked_due(due)
        array = as_floats(poses, "LiveCrowd.pose: poses")
        expected = (len(self), len(self._character.skeleton), 10)
        if array.shape != expected:
            is_other_count = array.ndim == 3 and array.shape[1:] == expected[1:]
            advice = "; set `instances` to as many first" if is_other_count else ""
            raise ValueError(f"LiveCrowd.pose: poses must have shape {expected}, got {array.shape}{advice}")
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and refused
            array = (array if changed is None else array[changed]).astype(np.float32, copy=False)
        if not np.isfinite(array).all():
            first = int(np.flatnonzero(~np.isfinite(array).all(axis=(1, 2)))[0])
            wrong = array[first][~np.isfinite(array[first])][0]
            first = first if changed is None else int(changed[first])
            raise ValueError(f"LiveCrowd.pose: poses must be finite in float32, got {wrong} in pose {first}")
        weights = self._checked_weights(morphs)
        beyond = np.zeros(len(self), np.float32) if weights is None else np.abs(weights) @ self._reach
        model = self._character.skeleton.model_matrices(array)
        scales = array[..., 7:]
        scaled = (scales != 1).any(axis=(1, 2))
        low, high = self._bounds.boxes(
            model, bool(scaled.any()), beyond if changed is None else beyond[changed]
        )
        mirrored = np.zeros(len(model), bool)
        if (scales < 0).any():
            mirrored = (np.linalg.det(self._skin.palette(model).matrices[..., :3, :3]) < 0).any(axis=1)
        if changed is None:
            self._model, self._low, self._high, self._mirrored = model, low, high, mirrored
            self._scaled = scaled
            self._stale = np.ones(len(self), bool)
        else:
            for kept, new in (
                (self._model, model),
                (self._low, low),
                (self._high, high),
                (self._mirrored, mirrored),
                (self._scaled, scaled),
                (self._stale, np.True_),
            ):
                kept[changed] = new
            others = np.setdiff1d(np.flatnonzero(beyond != self._beyond), changed)
            if others.size:  # in the poses that they had, targets reach to elsewhere
                self._low[others], self._high[others] = self._bounds.boxes(
                    self._model[others], bool(self._scaled[others].any()), beyond[others]
                )
        self._morphs, self._beyond = weights, beyond

    def pixels_per_unit(self, stage: Stage, camera: Camera) -> NDArray[np.float64]:
        """Return how far on a picture what moves by a unit of model space moves at most, of each instance.

        Parameters
        ----------
        stage : Stage
            Which draws the picture.
        camera : Camera

        Returns
        -------
        ndarray of float64, shape (count,)
            At the nearest corner of the boxes of the last poses, at the present places and scales, for
            `UpdateRates.due`; 0 of those that are not in the picture, nor their shadow on the ground below
            them, or hidden; infinite where a box reaches behind the eye.

        Raises
        ------
        TypeError
            If an argument is of another type.
        ValueError
            If an instance cannot be drawn.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.Stage(320, 180) as stage, lissom.gpu.LiveCrowd(hero, 3, stage=stage) as crowd:
        ...     crowd.instances["position"][:, 2] = [0, -100, 1000]
        ...     camera = lissom.gpu.Camera(target=(0.0, 1.0, 0.0), distance=5.0, azimuth=0.0)
        ...     crowd.pixels_per_unit(stage, camera).round()
        array([79.,  3.,  0.])
        """
        where = "LiveCrowd.pixels_per_unit"
        if stage is None:
            raise TypeError(f"{where}: stage must be a Stage, got None")
        context_of(stage, where)
        if not isinstance(camera, Camera):
            raise TypeError(f"{where}: camera must be a Camera, got {type(camera).__name__}")
        self._check_instances()
        view = {
            "clip_from_world": camera.clip_from_world(stage.aspect, 1.0, 2.0),  # whose depths nobody asks for
            "viewport": (stage.width, stage.height),
            "to_key": key_direction(camera),
            "shadow_floor": self.ground(),
        }
        seen = visible(self._boxes(), view)
        result = np.zeros(len(self))
        result[seen.which] = seen.pixels_per_unit * self._instances["scale"][seen.which]
        result[~self._is_shown] = 0.0
        return result

    def attach(self, joint: str, which: Which | None = None) -> NDArray[np.float64]:
        """Return the transform of a joint of each instance, computed on the CPU, to attach props.

        Parameters
        ----------
        joint : str
            Any joint of the character's skeleton, also one that moves no vertex.
        which : int, slice, or array of int or bool, optional
            Instances; all when omitted. Only these are computed.

        Returns
        -------
        ndarray of float64, shape (n, 4, 4)
            ``world_from_joint`` in the poses of the last `pose`, with the scales of instance and joint.

        Raises
        ------
        TypeError
            If `joint` is not a string.
        ValueError
            If the joint does not exist, or an instance cannot be drawn.
        IndexError
            If an instance does not exist.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.LiveCrowd(hero, 10) as crowd:
        ...     crowd.pose(hero.clips["walk"].sample(np.linspace(0, 1, 10)))
        ...     hands = crowd.attach("Hand.R")
        >>> hands.shape
        (10, 4, 4)
        """
        names = self._character.skeleton.names
        check_joint_name(joint, names, "LiveCrowd.attach")
        self._check_instances()
        rows = instance_rows(which, len(self), "LiveCrowd.attach: which")
        model_from_joint = self._model[rows, names.index(joint)].astype(np.float64)
        return np.asarray(world_from_model(self._instances[rows]) @ model_from_joint)

    def _checked_due(self, due: ArrayLike | None) -> NDArray[np.intp] | None:
        """Return the rows whose poses have changed; None for all."""
        if due is None:
            return None
        refuse_masked(due, "LiveCrowd.pose: due")
        mask = np.asarray(due)
        if mask.dtype != bool or mask.shape != (len(self),):
            error = TypeError if mask.dtype != bool else ValueError
            raise error(
                f"LiveCrowd.pose: due must be bools of shape ({len(self)},), got {mask.dtype} of shape "
                f"{mask.shape}"
            )
        if len(self._low) != len(self):
            raise ValueError(
                f"LiveCrowd.pose: due must be omitted where the last poses were {len(self._low)}, got "
                f"{len(self)}"
            )
        return np.flatnonzero(mask)

    def _checked_weights(self, morphs: ArrayLike | None) -> NDArray[np.float32] | None:
        """Return the weights as drawn, ``(count, M)``; None for a mesh that no target moves."""
        targets = self._whole.morphs
        if targets is None:
            if morphs is not None:
                raise ValueError("LiveCrowd.pose: morphs must be omitted for a mesh without morph targets")
            return None
        assert self._reach is not None
        shape = (len(self), len(targets))
        if morphs is None:
            rows = targets.defaults
        else:
            rows = morph_weight_rows(morphs, targets, "LiveCrowd.pose: morphs")
            if rows.ndim > 1 and rows.shape != shape:
                raise ValueError(
                    f"LiveCrowd.pose: morphs must have shape {shape} or {shape[1:]}, got {rows.shape}"
                )
        return largest(np.broadcast_to(rows, shape).astype(np.float32), self._reach)

    @property
    def size(self) -> float:
        """The character's size, world units."""
        scales = self.instances["scale"][self._is_shown]
        return float(self._character.size) * (float(np.median(scales)) if len(scales) else 1.0)

    @property
    def _usual_azimuth(self) -> float:
        return azimuth_before(self._character.skeleton)

    @property
    def _stride(self) -> int:
        return 3 if self.method == "linear" else self._poses.texels_per_row

    def _check_instances(self) -> None:
        check_dtype(self._instances, "LiveCrowd")
        check_places(self._instances, "LiveCrowd")
        if len(self._low) != len(self):
            raise ValueError(
                f"LiveCrowd: pose must be called for {len(self)} instances, got poses for {len(self._low)}"
            )

    def _boxes(self) -> Boxes:
        return placed_boxes(self._low, self._high, self.instances)

    def _pose_constants(self) -> dict[str, int]:
        if self._stale.any():
            some = np.flatnonzero(self._stale)
            if len(some) == len(self) or not self._poses.write_some(
                self._skin.palette(self._model[some]), self.method, some
            ):
                self._poses.write(self._skin.palette(self._model), self.method)
            self._stale[:] = False
        return self._poses.defines

    def _moments(self, which: NDArray[np.intp]) -> Moments:
        return Moments(which, which, 0.0, 0, 0)

    def _weights(self, which: NDArray[np.intp], moments: Moments) -> NDArray[np.float32] | None:
        if self._morphs is None or not self._morphs.any():
            return None
        return self._morphs[which]

    @property
    def _is_mirrored(self) -> bool:
        return bool(self._mirrored.any())


def _method(character: Character) -> str:
    """Return the character's own method, or the nearest to it that crowds are drawn by."""
    return character.method if character.method in BAKED_METHODS else "dual_quat"
