# SPDX-License-Identifier: MIT
"""The table of forms in docs/howto/export-a-bake.md, against what exports state."""

import re

import numpy as np
import pytest

from doc_tables import part_of, script_of
from lissom._export.export import FORMS

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_the_table_is_what_exports_state():
    pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")
    script = script_of("export_forms")
    assert {row.form for row in script.ROWS} == set(FORMS)
    told, found = part_of(script).removeprefix(script.BEGIN), f"\n{script.table()}\n"
    assert NUMBER.sub("#", told) == NUMBER.sub("#", found)
    numbers = [np.array(NUMBER.findall(text), float) for text in (told, found)]
    np.testing.assert_allclose(*numbers, rtol=0.04)  # one in the last of two digits
