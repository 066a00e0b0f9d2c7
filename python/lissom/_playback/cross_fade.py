# SPDX-License-Identifier: MIT
"""Cross-fades: one motion after another, without a pop."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lissom._base.arrays import check_out, float_dtype
from lissom._base.easing import Ease
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._playback.events import Event, Move, Playing, blended_move
from lissom._playback.fade import Fade, Layer
from lissom._playback.inertializer import Inertializer, Kind
from lissom._playback.play_checks import Method, check_fade
from lissom._playback.play_head import (
    Playable,
    PlayHead,
    Sync,
    check_playable,
    is_cycle,
    morph_names_of,
)
from lissom._rig.skeleton import Skeleton
from lissom.clip._morphs import refuse_other_morphs

__all__ = ["CrossFade"]

MOST_CYCLES = 100
"""Cycles of a clip, the last ones of a step, whose markers are listed: see `CrossFade.events`."""


@set_module("lissom")
class CrossFade:
    """Plays clips and fades from one to the next.

    Fades may overlap: each continues below the next, so that an interrupted one starts from the pose that was
    showing. With clips A, B and C, and weights v and w that grow from 0 to 1, two overlapping fades show
    ``S(S(A, B, v), C, w)``; S lerps translation and scale, and slerps rotations. A fade that has ended drops
    all layers below it.

    No joint pops: from one `update` to the next it rotates by no more than all playing clips rotate it (one
    that is in several fades, in each), plus for each fade the angle that it fades times the change of its
    weight (nlerp would need 4 / pi times as much). That angle is the one between the pose below and the
    target; or, once the two have rotated past half a turn from each other, the one before that, at most half
    a turn: from then on the joint fades from the target rotated by it. The same holds for translation and
    scale, with distances. An inertialized transition adds the decay of its difference in the step.

    Weights of morph targets fade alike, in a straight line: see `morphs`.

    Parameters
    ----------
    skeleton : Skeleton
        The skeleton of all clips to play.
    dtype : float32 or float64
        Type of the poses, in which they are blended, whatever the type of the clips. Times and weights are
        float64.

    Notes
    -----
    A copy, by ``copy.copy``, plays on independently from the same clips, and returns the same poses to the
    last bit. ``copy.deepcopy`` and pickling copy the clips, too, so that a fade to the original clip is one
    to another clip.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> fade = lissom.CrossFade(hero.skeleton)
    >>> fade.play(hero.clips["walk"])
    >>> fade.fade_to(hero.clips["run"], 0.4, sync=True)
    >>> fade.update(0.2).shape
    (34, 10)
    >>> [(p.clip.name, round(p.weight, 3)) for p in fade.playing]
    [('walk', 0.5), ('run', 0.5)]
    """

    def __init__(self, skeleton: Skeleton, *, dtype: DTypeLike = np.float32) -> None:
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"CrossFade: skeleton must be a Skeleton, got {type(skeleton).__name__}")
        self._skeleton = skeleton
        self._dtype = float_dtype("CrossFade", dtype)
        self._layers: list[Layer] = []  # the lowest first
        self._heads: list[PlayHead] = []  # of the layers, each once
        self._before: NDArray[Any] | None = None  # the pose a step before the present one
        self._dt = 0.0  # seconds of that step
        self._weights_before: NDArray[np.float64] | None = None
        self._morph_names: tuple[str, ...] = ()
        self._morph_defaults = np.zeros(0)
        self._clear_step()

    def _clear_step(self) -> None:
        self._events: tuple[Event, ...] = ()
        self._moves: list[Move] = []

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all clips that are played."""
        return self._skeleton

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the poses."""
        return self._dtype

    @property
    def playing(self) -> tuple[Playing, ...]:
        """The clips that play, as `Playing` records, the oldest first; the last is the one faded to."""
        return tuple(Playing(h.source, h.time, h.weight, h.speed) for h in self._heads)

    @property
    def is_fading(self) -> bool:
        """Whether a fade or an inertialization is under way."""
        return len(self._layers) > 1 or any(layer.inertializer for layer in self._layers)

    @property
    def pose(self) -> NDArray[Any]:
        """The present pose, a new array (J, 10): of the last `update`, or of the start.

        Raises
        ------
        ValueError
            If nothing was played yet.
        """
        self._check_plays("pose")
        return self._shown().astype(self._dtype)

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets of the clips that were played; empty while none had any."""
        return self._morph_names

    @property
    def morphs(self) -> NDArray[Any]:
        """The present weights of the morph targets, a new array (M,): of the last `update`, or of the start.

        A clip that knows of no morph targets shows their defaults; those that know must know the same ones.

        Raises
        ------
        ValueError
            If nothing was played yet.
        """
        self._check_plays("morphs")
        return self._layers[-1].shown_weights.astype(self._dtype)

    @property
    def events(self) -> tuple[Event, ...]:
        """The markers that the last `update` passed, as `Event` records.

        For a step that is longer than 100 cycles of a clip, as after a pause, those of the last 100.
        """
        return self._events

    @property
    def root_motion(self) -> NDArray[np.float64] | None:
        """The move of the character in the last `update`, a rigid trs (10,); None without root motion.

        In the character's own frame before the step: multiply its transform by it, on the right. The root
        motions of the clips are blended by weight; a clip without one stands still. Inertialization affects
        the pose alone: the root moves as the new clip does, at once. See `Clip.extract_root_motion`.
        """
        return blended_move(self._moves)

    def play(self, clip: Playable, *, at: float | None = None, speed: float | None = None) -> None:
        """Show a clip at once.

        Parameters
        ----------
        clip : Clip, BlendSpace1D or BlendSpace2D
        at : float, optional
            Seconds on its time line at which to begin; its start when omitted.
        speed : float, optional
            Seconds of the clip for each second, at least 0; 1 when omitted. `Clip.reversed` plays backwards.

        Raises
        ------
        TypeError
            If `clip` cannot be played.
        ValueError
            If `clip` has joints of other names or parents, or other morph targets, or a number is not finite
            or `speed` is negative.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> fade = lissom.CrossFade(hero.skeleton)
        >>> fade.play(hero.clips["walk"], at=0.2)
        >>> bool(np.array_equal(fade.update(0.1), hero.clips["walk"].sample(0.3)))
        True
        """
        self._check(clip, "play", at, speed)
        self._know_morphs(clip)
        self._layers = [Layer(self._new_head(clip, at, speed))]
        self._before = self._weights_before = None
        self._clear_step()
        self._update_heads()
        np.copyto(self._layers[0].shown, self._layers[0].target)

    def fade_to(
        self,
        clip: Playable,
        duration: float,
        ease: Ease = "smooth",
        method: Method = "blend",
        *,
        sync: bool = False,
        at: float | None = None,
        speed: float | None = None,
    ) -> None:
        """Start a fade to a clip, from the present pose.

        A clip that plays already continues, without starting again, unless `at` is passed. If it is the one
        faded to already, nothing changes.

        Parameters
        ----------
        clip : Clip, BlendSpace1D or BlendSpace2D
        duration : float
            Seconds, at least 0.
        ease : {"smooth", "linear", "smoother"} or callable
            How the weight grows: "smooth" is at rest at both ends, "linear" is even, "smoother" is without
            acceleration at the ends, too. Or any function of [0, 1] into [0, 1] that maps 0 to 0 and 1 to 1;
            it may decrease in between.
        method : {"blend", "inertialize", "spring"}
            "blend" blends both poses while both play. The others stop all other clips at once and let the
            difference to the new one decay: "inertialize" by a quintic that starts with the speed of each
            joint, "spring" by a critically damped spring that starts with its velocity in all directions and
            has 0.1 % of the difference left shortly before `duration`. Both end after `duration`, exactly:
            see `Inertializer`. They do not use `ease`.
        sync : bool
            Whether the clip begins at the phase of the clip that shows, and both keep one phase while both
            play; a cycle then lasts the mean of theirs, by weight. A clip that does not loop has no phase:
            then the new clip begins as without `sync`. Not together with `at`.
        at : float, optional
            Seconds on its time line at which to begin; its start when omitted.
        speed : float, optional
            Seconds of the clip for each second, at least 0; if omitted 1, or unchanged for a clip that plays.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an option is of another type.
        ValueError
            If nothing plays yet, `clip` has joints of other names or parents, or other morph targets, an
            option is unknown, a number is not finite or negative, `sync` is True for a clip that does not
            loop or together with `at`, or only one of both is additive.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> fade = lissom.CrossFade(hero.skeleton)
        >>> fade.play(hero.clips["idle"])
        >>> fade.fade_to(hero.clips["walk"], 0.5, "linear")
        >>> for _ in range(2):
        ...     pose = fade.update(0.25)
        ...     print([(p.clip.name, p.weight) for p in fade.playing])
        [('idle', 0.5), ('walk', 0.5)]
        [('walk', 1.0)]
        """
        self._check_plays("fade_to")
        self._check(clip, "fade_to", at, speed)
        head = self._layers[-1].head
        check_fade(clip, head.source, duration, ease, method, sync, at)
        self._know_morphs(clip)
        if at is not None or head.source is not clip:
            head = self._head_for(clip, at, speed, sync)
        elif speed is None or speed == head.speed:
            return
        if speed is not None:
            head.speed = float(speed)
        if head is not self._layers[-1].head:
            self._add_layer(head, duration, ease, method)

    def update(self, dt: float, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Advance the time, and return the pose.

        Parameters
        ----------
        dt : float
            Seconds since the last call, at least 0.
        out : ndarray, shape (J, 10), optional
            Where to write, of `dtype`; allocated when omitted.

        Returns
        -------
        ndarray, shape (J, 10)
            The present local pose.

        Raises
        ------
        TypeError
            If `dt` is not a number or `out` has another type.
        ValueError
            If nothing was played yet, `dt` is negative or not finite, or `out` has another shape.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> fade = lissom.CrossFade(hero.skeleton)
        >>> fade.play(hero.clips["walk"])
        >>> pose = np.empty((34, 10), np.float32)
        >>> for _ in range(60):  # one second at 60 pictures per second
        ...     pose = fade.update(1 / 60, out=pose)
        >>> bool(np.allclose(pose, hero.clips["walk"].sample(1.0), atol=1e-5))
        True
        """
        self._check_plays("update")
        check_number(dt, "CrossFade.update: dt", least=0)
        shape = (len(self._skeleton), 10)
        if out is None:
            out = np.empty(shape, self._dtype)
        else:
            check_out(out, "CrossFade.update: out", shape, self._dtype, contiguous=False)
        dt = float(dt)
        if dt > 0:
            self._before = self._shown().copy()
            self._weights_before = self._layers[-1].shown_weights.copy()
            self._dt = dt
        for layer in self._layers:
            if layer.fade:
                layer.fade.advance(dt)
        self._set_weights()
        self._advance(dt)
        self._compose(dt)
        self._record_step(dt)
        self._drop_covered()
        np.copyto(out, self._shown(), casting="same_kind")
        return out

    # The steps of update, in order.

    def _set_weights(self) -> None:
        """Set the share of each head in the present pose."""
        for head in self._heads:
            head.weight = 0.0
        remaining = 1.0
        for layer in reversed(self._layers):
            weight = layer.fade.weight if layer.fade else 1.0
            layer.head.weight += remaining * weight
            remaining *= 1 - weight

    def _advance(self, dt: float) -> None:
        groups: dict[Sync, list[PlayHead]] = {}
        for head in self._heads:
            head.advance(dt)
            if head.sync:
                groups.setdefault(head.sync, []).append(head)
        for sync, heads in groups.items():
            sync.advance(dt, heads)

    def _compose(self, dt: float) -> None:
        for head in self._heads:
            head.sample()
        below: NDArray[Any] | None = None
        weights_below = self._layers[0].head.weights
        for layer in self._layers:
            layer.update_target(dt)
            layer.blend_weights(weights_below)
            weights_below = layer.shown_weights
            if layer.fade and below is not None:
                layer.fade.blend(below, layer.target, layer.shown)
            else:
                np.copyto(layer.shown, layer.target)
            below = layer.shown

    def _record_step(self, dt: float) -> None:
        """Record the markers that the step passed, and the times between which clips moved the character."""
        events: list[Event] = []
        self._moves = []
        for head in self._heads:
            for clip, start, end, weight in head.steps():
                if dt > 0 and getattr(clip, "markers", None):
                    first = start
                    if clip.loop is not False and clip.duration > 0:
                        first = max(start, end - MOST_CYCLES * clip.duration)
                    passed = clip.markers_between(first, end, include_start=head.is_fresh and first == start)
                    events += [Event(clip, marker, weight) for marker in passed]
                self._moves.append((clip, start, end, weight))
            head.is_fresh &= dt == 0
        self._events = tuple(events)

    def _drop_covered(self) -> None:
        for index in range(len(self._layers) - 1, 0, -1):
            fade = self._layers[index].fade
            if fade and fade.is_over:
                del self._layers[:index]
                self._layers[0].fade = None
                self._update_heads()
                return

    # The steps of play and fade_to.

    def _head_for(self, clip: Playable, at: float | None, speed: float | None, sync: bool) -> PlayHead:
        """Return the play head of `clip`, or a new one."""
        if at is None:
            for head in reversed(self._heads):
                if head.source is clip:
                    return head
        head = self._new_head(clip, at, speed)
        leader = self._layers[-1].head
        if sync and is_cycle(leader.source):
            head.sync = leader.sync or Sync(leader)
            if at is None:
                head.time = clip.start + head.sync.phase * clip.duration
                head.sample()
        return head

    def _add_layer(self, head: PlayHead, duration: float, ease: Ease, method: Method) -> None:
        """Add a layer over all others, which an inertialization replaces."""
        if duration == 0:
            self._layers = [Layer(head)]
            np.copyto(self._layers[0].shown, head.pose)
            self._before = self._weights_before = None
        elif method == "blend":
            fade = Fade(self._shown(), head.pose, float(duration), ease)
            layer = Layer(head, fade)
            np.copyto(layer.shown, self._shown())
            np.copyto(layer.shown_weights, self._layers[-1].shown_weights)
            self._layers.append(layer)
        else:
            kind: Kind = "spring" if method == "spring" else "quintic"
            inertializer = Inertializer(self._skeleton, kind=kind, duration=duration)
            if self._before is None:
                inertializer.transition(self._shown(), head.pose)
            else:
                inertializer.transition(
                    self._shown(),
                    head.pose,
                    previous=self._before,
                    target_previous=head.previous_pose(self._dt),
                    dt=self._dt,
                )
            weights = self._layers[-1].shown_weights
            speed = np.zeros_like(weights)
            if self._weights_before is not None:
                speed = (weights - self._weights_before) - (head.weights - head.previous_weights(self._dt))
                speed /= self._dt
            if len(weights):
                inertializer._transition_weights(weights, head.weights, speed)
            layer = Layer(head, None, inertializer)
            layer.update_target(0.0)
            np.copyto(layer.shown, layer.target)  # what showed, to rounding
            np.copyto(layer.shown_weights, layer.target_weights)
            self._layers = [layer]
        self._update_heads()

    def _update_heads(self) -> None:
        """List the heads of the layers, each once, and set their weights."""
        self._heads = list({id(layer.head): layer.head for layer in self._layers}.values())
        self._set_weights()

    def _shown(self) -> NDArray[Any]:
        return self._layers[-1].shown

    def _new_head(self, clip: Playable, at: float | None, speed: float | None) -> PlayHead:
        rest = (
            np.zeros_like(self._morph_defaults) if getattr(clip, "additive", False) else self._morph_defaults
        )
        time = float(clip.start if at is None else at)
        return PlayHead(clip, time, 1.0 if speed is None else float(speed), rest, self._dtype)

    def _know_morphs(self, clip: Playable) -> None:
        """Take the morph targets of the first clip that has some; what plays shows their defaults."""
        names = morph_names_of(clip)
        if not names or self._morph_names:
            return
        self._morph_names = names
        self._morph_defaults = np.asarray(getattr(clip, "morph_defaults", np.zeros(len(names))), np.float64)
        rest = np.zeros(len(names)) if getattr(clip, "additive", False) else self._morph_defaults
        for head in self._heads:
            head.weights = rest.copy()
        for layer in self._layers:
            layer.shown_weights, layer.target_weights = rest.copy(), layer.head.weights
        self._weights_before = None if self._before is None else rest.copy()

    # Checks.

    def _check_plays(self, function: str) -> None:
        if not self._layers:
            raise ValueError(f"CrossFade.{function}: nothing plays yet; call play first")

    def _check(self, clip: object, function: str, at: float | None, speed: float | None) -> None:
        check_playable(clip, self._skeleton, f"CrossFade.{function}")
        names = morph_names_of(clip)
        if names and self._morph_names and names != self._morph_names:
            source: Any = clip
            known = "the clips before"
            refuse_other_morphs(f"CrossFade.{function}", known, self._morph_names, source.name, names)
        if at is not None:
            check_number(at, f"CrossFade.{function}: at")
        if speed is not None:
            check_number(
                speed, f"CrossFade.{function}: speed", least=0, advice="; Clip.reversed plays backwards"
            )

    def __copy__(self) -> CrossFade:
        kept = [self._skeleton, *(head.source for head in self._heads), *(clip for clip, *_ in self._moves)]
        shared: dict[int, Any] = {id(thing): thing for thing in kept}
        other = object.__new__(type(self))
        other.__dict__ = copy.deepcopy(self.__dict__, shared)
        return other

    def __repr__(self) -> str:
        if not self._layers:
            return f"<CrossFade of {len(self._skeleton)} joints: nothing plays>"
        parts = [f"{p.clip.name!r} at {p.time:.3f} s ({p.weight:.0%})" for p in self.playing]
        state = ", inertializing" if any(layer.inertializer for layer in self._layers) else ""
        return f"<CrossFade of {len(self._skeleton)} joints: {', '.join(parts)}{state}>"
