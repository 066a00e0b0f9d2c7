# SPDX-License-Identifier: MIT
"""Characters that the judge's tests bake, and a bake of one."""

import pytest

import lissom


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, ["walk", "run"], rate=30)


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()
