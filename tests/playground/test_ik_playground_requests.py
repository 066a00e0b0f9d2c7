# SPDX-License-Identifier: MIT
"""What a page sends is checked before anything is done: one sentence, and nothing changed."""

import numpy as np
import pytest

from lissom import ik, samples
from lissom._playground.limit_edits import KINDS
from lissom._playground.requests import checked

HERO = samples.humanoid()
LIMITS = {
    "UpperArm.L": ik.BallSocket(0.7),
    "LowerArm.L": ik.Hinge.from_rest(0.0, 2.5, zero="straight"),
}
SHOULDER, ELBOW = (HERO.skeleton.index(name) for name in LIMITS)
HUGE = 10**400
PLACE = [0.3, 1.2, 0.2]


@pytest.fixture
def made():
    chains = [ik.Chain(HERO.skeleton, "UpperArm.L", "Hand.L", limits=LIMITS), "Hand.R"]
    found = ik.Playground(HERO, chains, body=True)
    found._edits_limits = True
    found.record()
    return found


def drag(position=PLACE, handle="target:0", **more):
    return {"kind": "drag", "moves": {handle: position}, **more}


def bound(**changed):
    return {"kind": "bound", "joint": ELBOW, "name": "high", "degrees": 30.0, **changed}


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (None, "a request of the page must be a mapping, got None"),
        ({}, "no request is named 'None'"),
        ({"kind": "dance"}, "no request is named 'dance'"),
        ({"kind": ["drag"]}, "no request is named"),
        ({"kind": "drag"}, "moves must be a mapping of handles, got None"),
        ({"kind": "drag", "moves": {}}, "moves must be a mapping of handles, got {}"),
        (drag(handle="target:-1"), "handle must be one of those there are now, got 'target:-1'"),
        (drag(handle="target:2"), "handle must be one of those there are now, got 'target:2'"),
        (drag(handle="x"), "handle must be one of those there are now, got 'x'"),
        (drag(handle="turn:0:0"), "handle must be one of those there are now, got 'turn:0:0'"),
        (drag(handle=f"limit:{ELBOW}:first"), f"handle must be .*, got 'limit:{ELBOW}:first'"),
        (drag(handle=f"limit:{SHOULDER}:twist_low"), f"handle must be .*, got 'limit:{SHOULDER}:twist_low'"),
        (drag(0.5), "position of target:0 must be three numbers, got 0.5"),
        (drag([0.5]), "position of target:0 must be three numbers, got .0.5."),
        (drag([0.5, 0.5, "x"]), "position of target:0 must be a number, got 'x'"),
        (drag([0.5, True, 0.5]), "position of target:0 must be a number, got True"),
        (drag([0.5, float("nan"), 0.5]), "position of target:0 must be finite, got nan"),
        (drag([0.5, 1e10, 0.5]), "position of target:0 must be from -1e.09 to 1e.09, got 1"),
        (drag([0.5, HUGE, 0.5]), "position of target:0 must be from -1e.09 to 1e.09, got 1"),
        (drag(age="now"), "age must be a number, got 'now'"),
        (drag(age=float("nan")), "age must be finite, got nan"),
        (drag(gesture=["a"]), "gesture must be a short string"),
        (drag(gesture="a" * 10_000), "gesture must be a short string"),
        ({"kind": "orient", "on": True}, "index must be a whole number from 0 to 1, got None"),
        ({"kind": "orient", "index": -1, "on": True}, "index must be a whole number from 0 to 1, got -1"),
        ({"kind": "orient", "index": 5, "on": True}, "index must be a whole number from 0 to 1, got 5"),
        ({"kind": "orient", "index": True, "on": True}, "index must be a whole number from 0 to 1, got True"),
        ({"kind": "orient", "index": 0, "on": 1}, "on must be true or false, got 1"),
        ({"kind": "limit", "joint": 9_999, "name": "Hinge"}, "joint must be the index of one that rotates"),
        ({"kind": "limit", "joint": ELBOW - 9_999, "name": ""}, "joint must be the index of one"),
        ({"kind": "limit", "joint": ELBOW, "name": "Cube"}, "no limit is named 'Cube'"),
        ({"kind": "limit", "joint": ELBOW, "name": None}, "no limit is named 'None'"),
        (bound(joint=None), "joint must be the index of one that rotates in the chains, got None"),
        (bound(name="twist_low"), "bound must be one that the limit of joint .* has, got 'twist_low'"),
        (bound(degrees="x"), "degrees must be a number, got 'x'"),
        (bound(degrees=1e300), "degrees must be from -360 to 360, got 1e.300"),
        (bound(degrees=None), "to of the limit must be a number of degrees, got none"),
        ({"kind": "edit", "on": "no"}, "on must be true or false, got 'no'"),
        ({"kind": "solver"}, "solver must be a string, got None"),
        ({"kind": "solver", "name": "magic"}, "no solver is named 'magic'"),
        ({"kind": "seek"}, "seconds must be a number, got None"),
        ({"kind": "seek", "seconds": float("inf")}, "seconds must be finite, got inf"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence_and_changes_nothing(made, request_, message):
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    widget, said = made.widget, []
    widget.send = lambda content, buffers=(): said.append(content)
    before, undo = made._state, made._history.directions
    rows, times = len(made.residuals), list(made._recording._times)
    widget._listen(widget, request_, [])
    (answer,) = said
    assert answer["kind"] == "error"
    with pytest.raises(ValueError, match=f"^ik.Playground.*: {message}"):
        raise ValueError(answer["text"])
    assert made._state is before
    assert made._history.directions == undo
    assert (len(made.residuals), made._recording._times) == (rows, times)
    assert made._edits_limits
    assert made._recording.is_on


def test_ages_are_within_the_time_since_it_was_made(made, monkeypatch):
    monkeypatch.setattr(made, "_now", lambda: 2.0)
    for age, expected in ((-1e300, 0.0), (-1, 0.0), (35.5, 35.5), (1e300, 2000.0), (HUGE, 2000.0)):
        assert checked(made, drag(age=age))["age"] == expected


def test_a_drag_of_several_handles_changes_no_limit_where_one_handle_is_refused(made, monkeypatch):
    from lissom._playground import moves

    rim = next(h for h in made._handles() if h.id == f"limit:{SHOULDER}:half_angle")
    lower = [rim.position[0], rim.position[1] - 0.05, rim.position[2]]
    before = made._state
    both = {rim.id: lower, "target:0": [np.nan] * 3}
    with pytest.raises(ValueError, match="targets must be finite"):
        moves.move(made, both, "drag", 0.0)
    assert made._state is before
    moves.move(made, both | {"target:0": PLACE}, "drag", 0.0)
    assert made.limits["UpperArm.L"] != LIMITS["UpperArm.L"]
    np.testing.assert_allclose(made.targets[0], PLACE, atol=1e-6)
    made.undo()
    assert made._state is before


def test_the_page_gets_the_kinds_of_limits(made):
    from lissom._playground.widget import Frames

    assert Frames(made).first()["kinds"] == KINDS
