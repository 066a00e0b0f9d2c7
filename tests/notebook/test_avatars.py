# SPDX-License-Identifier: MIT
"""What notebooks show of expressions, and of where a character looks."""

import lissom
from vrm_avatars import avatar


def test_expressions_are_a_table():
    body = lissom.load(avatar().glb())
    shown = body.expressions._repr_html_()
    for word in (*body.expressions.names, "blends blink", "blocks mouth", "blocks gaze"):
        assert word in shown
    assert "expressions" in body._repr_html_()


def test_ranges_of_eyes_are_a_table():
    shown = lissom.LookAt(lissom.load(avatar().glb()))._repr_html_()
    for word in ("joints", "leftEye, rightEye", "inner", "80°", "13°"):
        assert word in shown


def test_many_expressions_are_cut_short_and_names_escaped():
    morphs = lissom.Morphs(["a"], [0, 1], [0], [[0, 1, 0]])
    many = [lissom.Expression(f"<script>{number}</script>", {"a": 1}) for number in range(70)]
    shown = lissom.Expressions(morphs, many)._repr_html_()
    assert "<script>" not in shown
    assert "10 more" in shown
