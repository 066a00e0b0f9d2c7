# SPDX-License-Identifier: MIT
import lissom


def test_version_is_known() -> None:
    assert lissom.__version__
