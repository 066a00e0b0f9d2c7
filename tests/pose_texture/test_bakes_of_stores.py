# SPDX-License-Identifier: MIT
"""Bakes by their addresses in stores."""

import sys

import numpy as np
import pytest

import lissom
from lissom._store import open_store


@pytest.fixture(params=["memory", "file"])
def url(request, tmp_path):
    if request.param == "memory":
        pytest.importorskip("obstore")
        return "memory://bakes-by-address"
    return f"file://{tmp_path}/store"


def test_a_bake_is_opened_by_its_address(url, tmp_path):
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    data = bake.save(tmp_path / "bar.safetensors").read_bytes()
    store = open_store(f"{url}/bakes")
    store.write("bar.safetensors", data)
    again = lissom.load_bake(f"{url}/bakes/bar.safetensors")
    np.testing.assert_array_equal(again.texels, bake.texels)
    store.write("cut.safetensors", data[:-1])
    with pytest.raises(ValueError, match=rf"{url}/bakes/cut\.safetensors") as e:
        lissom.load_bake(f"{url}/bakes/cut.safetensors")
    assert "bake.safetensors" not in str(e.value)
    with pytest.raises(FileNotFoundError):
        lissom.load_bake(f"{url}/bakes/none.safetensors")


def test_without_the_extra_it_says_which(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(ImportError, match=r'in the extra "cloud": pip install'):
        lissom.load_bake("s3://bucket/bakes/bar.safetensors")
