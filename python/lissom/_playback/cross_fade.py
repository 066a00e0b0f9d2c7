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
from lissom._playback.play_head import Playable, PlayHead, Sync, check_playable, is_cycle
from lissom._rig.skeleton import Skeleton

__all__ = ["CrossFade", "Event", "Playing"]

MOST_TURNS = 100
"""Of so many turns of a clip, the last of a step, the markers are told: see `CrossFade.events`."""


@set_module("lissom")
class CrossFade:
    """Plays clips and fades from one to the next.

    Fades may overlap: each goes on below the next, so that an interrupted one starts from the pose that was
    showing. With clips A, B and C, and weights v and w that grow from 0 to 1, two fades in flight show
    ``S(S(A, B, v), C, w)``; S interpolates translation and scale, and rotations by slerp. A fade that is over
    drops all below it.

    No joint pops: from one `update` to the next it turns by no more than all clips in flight turn it (one
    that is in several fades, in each), plus for each fade the angle that it fades times the change of its
    weight (nlerp would need 4 / pi times as much). That angle is the one between the pose below and the
    target; or, from where the two have turned more than half a turn against each other, the one there, at
    most half a turn: from then on the joint fades from the target turned by it. Translation and scale alike,
    with distances. An inertialized change adds by how much its difference dies away in the step.

    Parameters
    ----------
    skeleton : Skeleton
        Of all that is played.
    dtype : float32 or float64
        Of the poses. They are blended in float64 in between, whatever the clips are.

    Notes
    -----
    A copy, by ``copy.copy``, plays on independently from the same clips, and gives the same poses to the last
    bit. ``copy.deepcopy`` and pickling copy the clips, too, so that a fade to the original clip is one to
    another clip.

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
        self._before: NDArray[np.float64] | None = None  # the pose a step before the one that shows
        self._dt = 0.0  # seconds of that step
        self._forget()

    def _forget(self) -> None:
        self._events: tuple[Event, ...] = ()
        self._moves: list[Move] = []

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all that is played."""
        return self._skeleton

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the poses."""
        return self._dtype

    @property
    def playing(self) -> tuple[Playing, ...]:
        """What is in flight, as `Playing` records, the oldest first; the last is what is faded to."""
        return tuple(Playing(h.source, h.time, h.weight, h.speed) for h in self._heads)

    @property
    def is_fading(self) -> bool:
        """Whether a fade, or what is left of an inertialization, is under way."""
        return len(self._layers) > 1 or any(layer.rest for layer in self._layers)

    @property
    def pose(self) -> NDArray[Any]:
        """The pose that shows, a new array (J, 10): of the last `update`, or of the start.

        Raises
        ------
        ValueError
            If nothing was played yet.
        """
        self._check_plays("pose")
        return self._shown().astype(self._dtype)

    @property
    def events(self) -> tuple[Event, ...]:
        """The markers that the last `update` passed, as `Event` records.

        Of a step that is longer than 100 turns of a clip, as after a pause, those of the last 100.
        """
        return self._events

    @property
    def root_motion(self) -> NDArray[np.float64] | None:
        """How the last `update` moved the character, a rigid trs (10,); None where no clip holds that.

        In the character's own frame before the step: multiply its place by it, from the right. The clips' own
        are blended by weight; one without stands still. What is inertialized is the pose alone: the root
        moves as the new clip does, at once. See `Clip.extract_root_motion`.
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
            If `clip` is of another skeleton, or a number is not finite or `speed` is negative.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> fade = lissom.CrossFade(hero.skeleton)
        >>> fade.play(hero.clips["walk"], at=0.2)
        >>> bool(np.array_equal(fade.update(0.1), hero.clips["walk"].sample(0.3)))
        True
        """
        self._check(clip, "play", at, speed)
        self._layers = [Layer(_new_head(clip, at, speed))]
        self._before = None
        self._forget()
        self._arrange()
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
        """Go over to a clip, from whatever shows now.

        A clip that is in flight goes on where it is, without starting again, unless `at` is given. Where it
        is the one faded to already, nothing changes.

        Parameters
        ----------
        clip : Clip, BlendSpace1D or BlendSpace2D
        duration : float
            Seconds, at least 0.
        ease : {"smooth", "linear", "smoother"} or callable
            How the weight grows: at rest at both ends; evenly; without acceleration at the ends, too. Or any
            function of [0, 1] into [0, 1] that leads from 0 to 1; it may go back in between.
        method : {"blend", "inertialize", "spring"}
            "blend" weighs both poses while both play. The others stop all other clips at once and let the
            difference to the new one die away: "inertialize" by a quintic that keeps the speed at which each
            joint comes, "spring" by a critically damped spring that keeps its velocity in all directions and
            has all but 0.1 % behind it shortly before `duration`. Both are over then, exactly: see
            `Inertializer`. They have no use for `ease`.
        sync : bool
            Whether the clip begins at the phase of what shows, and both keep one phase while both play, whose
            cycle lasts as long as theirs do in the mean, by weight. Where what shows does not loop, it has no
            phase, and the clip begins as it would without. Not together with `at`.
        at : float, optional
            Seconds on its time line at which to begin; its start when omitted.
        speed : float, optional
            Seconds of the clip for each second, at least 0; 1 when omitted, or as it was if in flight.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an option is of another type.
        ValueError
            If nothing plays yet, `clip` is of another skeleton, an option is unknown, a number is not finite
            or negative, `sync` is asked for a clip that does not loop or together with `at`, or only one of
            both is additive.

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
        if at is not None or head.source is not clip:
            head = self._head_for(clip, at, speed, sync)
        elif speed is None or speed == head.speed:
            return
        if speed is not None:
            head.speed = float(speed)
        if head is not self._layers[-1].head:
            self._cover(head, duration, ease, method)

    def update(self, dt: float, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Let time pass.

        Parameters
        ----------
        dt : float
            Seconds since the last call, at least 0.
        out : ndarray, shape (J, 10), optional
            Where to write, of `dtype`; allocated when omitted.

        Returns
        -------
        ndarray, shape (J, 10)
            The local pose that shows now.

        Raises
        ------
        TypeError
            If `dt` is no number or `out` has another type.
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
            self._dt = dt
        for layer in self._layers:
            if layer.fade:
                layer.fade.advance(dt)
        self._weigh()
        self._advance(dt)
        self._compose(dt)
        self._pass(dt)
        self._drop_covered()
        np.copyto(out, self._shown(), casting="same_kind")
        return out

    # What update does, in its order.

    def _weigh(self) -> None:
        """Set the share of each head in the pose that shows."""
        for head in self._heads:
            head.weight = 0.0
        left = 1.0
        for layer in reversed(self._layers):
            weight = layer.fade.weight if layer.fade else 1.0
            layer.head.weight += left * weight
            left *= 1 - weight

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
        below: NDArray[np.float64] | None = None
        for layer in self._layers:
            layer.follow(dt)
            if layer.fade and below is not None:
                layer.fade.blend(below, layer.target, layer.shown)
            else:
                np.copyto(layer.shown, layer.target)
            below = layer.shown

    def _pass(self, dt: float) -> None:
        """Gather what the step passed: markers, and the times between which clips moved the character."""
        events: list[Event] = []
        self._moves = []
        for head in self._heads:
            for clip, start, end, weight in head.steps():
                if dt > 0 and getattr(clip, "markers", None):
                    first = start
                    if clip.loop is not False and clip.duration > 0:
                        first = max(start, end - MOST_TURNS * clip.duration)
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
                self._arrange()
                return

    # What play and fade_to do.

    def _head_for(self, clip: Playable, at: float | None, speed: float | None, sync: bool) -> PlayHead:
        """Give the play head that `clip` has, or a new one."""
        if at is None:
            for head in reversed(self._heads):
                if head.source is clip:
                    return head
        head = _new_head(clip, at, speed)
        leader = self._layers[-1].head
        if sync and is_cycle(leader.source):
            head.sync = leader.sync or Sync(leader)
            if at is None:
                head.time = clip.start + head.sync.phase * clip.duration
                head.sample()
        return head

    def _cover(self, head: PlayHead, duration: float, ease: Ease, method: Method) -> None:
        """Put a layer over all others."""
        if duration == 0:
            self._layers = [Layer(head)]
            np.copyto(self._layers[0].shown, head.pose)
            self._before = None
        elif method == "blend":
            fade = Fade(self._shown(), head.pose, float(duration), ease)
            layer = Layer(head, fade)
            np.copyto(layer.shown, self._shown())
            self._layers.append(layer)
        else:
            kind: Kind = "spring" if method == "spring" else "quintic"
            rest = Inertializer(self._skeleton, kind=kind, duration=duration)
            if self._before is None:
                rest.transition(self._shown(), head.pose)
            else:
                rest.transition(
                    self._shown(),
                    head.pose,
                    previous=self._before,
                    target_previous=head.a_step_back(self._dt),
                    dt=self._dt,
                )
            layer = Layer(head, None, rest)
            np.copyto(layer.shown, self._shown())
            self._layers = [layer]
        self._arrange()

    def _arrange(self) -> None:
        """List the heads of the layers, each once."""
        self._heads = list({id(layer.head): layer.head for layer in self._layers}.values())
        self._weigh()

    def _shown(self) -> NDArray[np.float64]:
        return self._layers[-1].shown

    # What is refused.

    def _check_plays(self, function: str) -> None:
        if not self._layers:
            raise ValueError(f"CrossFade.{function}: nothing plays yet; call play first")

    def _check(self, clip: object, function: str, at: float | None, speed: float | None) -> None:
        check_playable(clip, self._skeleton, f"CrossFade.{function}")
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
        left = ", inertializing" if any(layer.rest for layer in self._layers) else ""
        return f"<CrossFade of {len(self._skeleton)} joints: {', '.join(parts)}{left}>"


def _new_head(clip: Playable, at: float | None, speed: float | None) -> PlayHead:
    return PlayHead(clip, float(clip.start if at is None else at), 1.0 if speed is None else float(speed))
