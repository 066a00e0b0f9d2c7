# SPDX-License-Identifier: MIT
"""The playback of a crowd: instances, time, fades and root motion, computed on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import LARGEST, check_number, whole_number
from lissom._character.clip_choice import clip_name_of
from lissom._crowd.bounds import world_from_model
from lissom._crowd.clock import ClipClock
from lissom._crowd.instances import NO_CLIP, check_dtype, check_instances, instance_rows, play_at_random
from lissom.gpu._arguments import check_joint_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom._crowd.faces import Faces
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["CrowdPlayback"]

Which = int | slice | Sequence[int] | NDArray[Any]  # indices of instances


class CrowdPlayback:
    """Instances that play a bake's clips.

    Parameters
    ----------
    bake : PoseTexture
        What they play.
    instances : ndarray of `INSTANCE_DTYPE`, shape (count,)
        Copied.
    interpolate : bool
        Whether to interpolate between frames.
    faces : Faces
        The weights of their morph targets.
    """

    def __init__(self, bake: PoseTexture, instances: NDArray[Any], interpolate: bool, faces: Faces) -> None:
        self._bake = bake
        self._faces = faces
        self._clock = ClipClock(bake)
        self.root_motion = False
        self.interpolate = interpolate
        self.instances = instances.copy()
        self._check_instances()

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def instances(self) -> NDArray[Any]:
        """The instances, of `INSTANCE_DTYPE`, ``(count,)``: change them at any time, in place.

        Assigned instances are copied; their number may differ, and then weights from `morphs` are forgotten.
        """
        return self._instances

    @instances.setter
    def instances(self, instances: NDArray[Any]) -> None:
        check_dtype(instances, "Crowd")
        self._instances = instances.copy()

    def update(self, dt: float) -> None:
        """Advance time: clips play on, wrapped where they loop; fades grow and end; root motion is applied.

        Computed in float64, without a loop over instances. When a fade ends, its clip becomes the instance's
        clip. If `root_motion` is True, each instance moves and rotates as its clip does, in a fade as both
        clips do by their weights.

        Parameters
        ----------
        dt : float
            Seconds since the last call; each instance's time advances by its `speed` times that. Negative
            plays backwards, but fades still grow.

        Raises
        ------
        TypeError, ValueError
            If `dt` is not a finite number, or an instance cannot be drawn: names the field and the instance.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.humanoid(), "walk", rate=30)
        >>> with lissom.gpu.Crowd(bake, 1, instances=lissom.gpu.plain_instances(1)) as crowd:
        ...     crowd.root_motion = True
        ...     for _ in range(60):
        ...         crowd.update(1 / 60)
        ...     print(crowd.instances["position"][0, 2].round(2))  # metres along +z in a second
        1.29
        """
        dt = check_number(dt, "Crowd.update: dt")
        self._check_instances()
        fastest = float(np.abs(self.instances["speed"]).max(initial=0))
        if not np.isfinite(fastest * dt):
            raise ValueError(
                f"Crowd.update: dt must be finite when multiplied by the speed {fastest:g}, got {dt:g}"
            )
        self._clock.advance(self.instances, dt, self.root_motion)

    def randomize(self, seed: int = 0) -> None:
        """Set a random clip, time and speed of 0.9 to 1.1 for every instance, and end all fades.

        Positions do not change. The same seed gives the same crowd.

        Parameters
        ----------
        seed : int
            Of the random numbers; at least 0.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> with lissom.gpu.Crowd(bake, 50, instances=lissom.gpu.plain_instances(50)) as crowd:
        ...     crowd.randomize(seed=3)
        ...     np.unique(crowd.instances["clip"])
        array([0, 1], dtype=int16)
        """
        play_at_random(self._bake, self.instances, np.random.default_rng(seed))

    def fade_to(
        self,
        clip: str | int,
        duration: float,
        which: Which | None = None,
        *,
        at: float | None = None,
    ) -> None:
        """Fade instances from their current clip to another.

        An instance that is fading already drops the clip of smaller weight and fades from the other. Its pose
        jumps then, unlike with `CrossFade`, where the earlier fade continues below the new one.

        Parameters
        ----------
        clip : str or int
            Name, or index in the order of the bake's clips.
        duration : float
            Seconds, at least 0.
        which : int, slice, or array of int or bool, optional
            Instances; all when omitted.
        at : float, optional
            Time on the clip's time line to begin at, seconds; its start when omitted.

        Raises
        ------
        TypeError, ValueError
            If the clip does not exist, or a number is not one or out of range.
        IndexError
            If an instance does not exist.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> with lissom.gpu.Crowd(bake, 3, instances=lissom.gpu.plain_instances(3)) as crowd:
        ...     crowd.fade_to("bend", 0.5, which=[0])
        ...     crowd.update(0.25)
        ...     crowd.instances["fade"]
        array([0.5, 0. , 0. ], dtype=float32)
        """
        names = list(self._bake.clips)
        if isinstance(clip, str):
            index = names.index(clip_name_of(names, clip, "Crowd.fade_to"))
        else:
            index = whole_number(clip, "Crowd.fade_to: clip")
        if index >= len(names):
            raise ValueError(f"Crowd.fade_to: clip must be in [0, {len(names)}), got {index}")
        duration = check_number(duration, "Crowd.fade_to: duration", least=0, largest=LARGEST)
        start = self._bake.clips[names[index]].start
        next_time = start if at is None else check_number(at, "Crowd.fade_to: at", largest=LARGEST)
        rows = self._rows(which, "Crowd.fade_to: which")
        now = self.instances[rows]
        past_half = (now["next_clip"] != NO_CLIP) & (now["fade"] >= 0.5)
        now["clip"] = np.where(past_half, now["next_clip"], now["clip"])
        now["time"] = np.where(past_half, now["next_time"], now["time"])
        now["next_clip"] = index
        now["next_time"] = next_time
        now["fade"] = 0
        now["fade_duration"] = duration
        self.instances[rows] = now

    def morphs(self, which: Which | None, weights: ArrayLike | None) -> None:
        """Set the weights of morph targets of instances, in place of those of the clips that they play.

        An instance is drawn with the 8 targets that move vertices most; `Crowd.max_error` counts the others,
        and says where faces end. The box that an instance is culled by grows by how far these weights may
        move a vertex: by the sum, over the targets, of the largest difference times that of the weight.

        Parameters
        ----------
        which : int, slice, or array of int or bool, or None
            Instances; None for all.
        weights : array_like, shape (M,) or (n, M), or None
            As from `Morphs.weights`: for all of them, or a row for each. They stay until they are set again;
            None goes back to the weights of the clips, or the mesh's defaults where these have none.

        Raises
        ------
        TypeError, ValueError
            If the mesh has no morph targets, or weights have another shape or are not finite.
        IndexError
            If an instance does not exist.

        Examples
        --------
        >>> bar = lissom.samples.twisted_bar()
        >>> longer = np.where(bar.mesh.positions[:, :1] > 2, [0.5, 0, 0], 0)  # its second half
        >>> arrays = {name: getattr(bar.mesh, name) for name in ("indices", "weights", "normals", "parts")}
        >>> morphs = lissom.Morphs.from_dense(["longer"], longer[None])
        >>> mesh = lissom.Mesh(bar.mesh.positions, bar.mesh.triangles, **arrays, morphs=morphs)
        >>> bar = lissom.Character("bar", bar.skeleton, mesh, bar.skin, bar.clips)
        >>> with lissom.gpu.Crowd(lissom.bake(bar, rate=30), 3) as crowd:
        ...     before = crowd.deformed()
        ...     crowd.morphs([0, 2], morphs.weights({"longer": 1.0}))
        ...     np.abs(crowd.deformed() - before).max(axis=(1, 2)) > 0.1
        array([ True, False,  True])
        """
        rows = self._rows(which, "Crowd.morphs: which")
        self._faces.give(len(self), rows, weights, "Crowd.morphs: weights")

    def frames(self) -> NDArray[np.float32]:
        """Return each instance's frame coordinate in its clip, ``(count,)``, as the shaders get it.

        Returns
        -------
        ndarray of float32, shape (count,)
            As `PoseTexture.frame_coordinate`, rounded to float32.

        Raises
        ------
        ValueError
            If an instance cannot be drawn: names the field and the instance.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> with lissom.gpu.Crowd(bake, 2, instances=lissom.gpu.plain_instances(2)) as crowd:
        ...     crowd.instances["time"] = [0.0, 0.05]
        ...     crowd.frames()
        array([0. , 1.5], dtype=float32)
        """
        self._check_instances()
        return self._frames_of(self.instances["clip"], self.instances["time"])

    def next_frames(self) -> NDArray[np.float32]:
        """Return the frame coordinates in the next clips of fades; without a fade, those of `frames`.

        `PoseTexture.sample_frames` computes from both, and the instances' ``fade``, what the shaders do.

        Returns
        -------
        ndarray of float32, shape (count,)

        Raises
        ------
        ValueError
            As in `frames`.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> with lissom.gpu.Crowd(bake, 1, instances=lissom.gpu.plain_instances(1)) as crowd:
        ...     crowd.fade_to("bend", 0.5)
        ...     crowd.update(0.25)
        ...     crowd.frames(), crowd.next_frames()
        (array([7.5], dtype=float32), array([128.5], dtype=float32))
        """
        frames = self.frames()
        return self._next_frames_of(self.instances, frames)

    def attach(self, joint: str, which: Which | None = None) -> NDArray[np.float64]:
        """Return the transform of a joint of each instance, computed on the CPU, to attach props.

        Parameters
        ----------
        joint : str
            One of the bake's `joints`: of the skin, or a socket among the ``extra_joints`` of the bake.
        which : int, slice, or array of int or bool, optional
            Instances; all when omitted. Only these are computed.

        Returns
        -------
        ndarray of float64, shape (n, 4, 4)
            ``world_from_joint``, with the scales of instance and joint, and with fades.

        Raises
        ------
        TypeError
            If `joint` is not a string.
        ValueError
            If the joint does not exist, its inverse bind matrix is singular, or an instance cannot be drawn.
        IndexError
            If an instance does not exist.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.humanoid(), "walk", rate=30)
        >>> with lissom.gpu.Crowd(bake, 10) as crowd:
        ...     hands = crowd.attach("Hand.R")
        >>> hands.shape
        (10, 4, 4)
        """
        check_joint_name(joint, self._bake.joints, "Crowd.attach")
        self._check_instances()
        now = self.instances[self._rows(which, "Crowd.attach: which")]
        frames = self._frames_of(now["clip"], now["time"])
        fading = now["next_clip"] != NO_CLIP
        model_from_joint = self._bake.joint_matrices(
            frames,
            joint,
            next_coordinates=self._next_frames_of(now, frames),
            fades=np.where(fading, now["fade"], np.float32(0)),
        ).astype(np.float64)
        return np.asarray(world_from_model(now) @ model_from_joint)

    def _rows(self, which: Which | None, what: str) -> NDArray[np.intp]:
        return instance_rows(which, len(self), what)

    def _frames_of(self, clip: NDArray[Any], time: NDArray[Any]) -> NDArray[np.float32]:
        return self._shown_frames(self._bake.frame_coordinate(clip, time))

    def _shown_frames(self, coordinates: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return coordinates as the shaders get them: of the nearer frames, where none are interpolated."""
        frames = np.asarray(coordinates, np.float32)
        if self.interpolate:
            return frames
        whole = np.floor(frames)
        return whole + (frames - whole >= 0.5)  # floor(frames + 0.5) would round the sum

    def _next_frames_of(self, instances: NDArray[Any], frames: NDArray[np.float32]) -> NDArray[np.float32]:
        result = frames.copy()
        fading = np.flatnonzero(instances["next_clip"] != NO_CLIP)
        now = instances[fading]
        result[fading] = self._frames_of(now["next_clip"], now["next_time"])
        return result

    def _check_instances(self) -> None:
        check_instances(self.instances, len(self._bake.clips), "Crowd")
