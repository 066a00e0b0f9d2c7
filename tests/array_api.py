# SPDX-License-Identifier: MIT
"""How each public function of quat, dual_quat and trs is called: one line per way, for the tests that go
through all of them. `test_array_api.py` fails where a public function has no line here."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lissom
from lissom import dual_quat, quat, trs
from reference import dual_quat as dual_quat_twin
from reference import quat as quat_twin

DTYPES = (np.float32, np.float64)
ROWS = 67  # whole blocks of lanes and a rest
ITEMS = 5  # along the axis of sequences

Array = NDArray[Any]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """What an operand or a result is: its own axes, and how to make good ones in float64."""

    name: str
    core: Shape
    make: Callable[[np.random.Generator, Shape], Array]
    whole: Any  # one of whole numbers
    has_quaternion: bool = False  # that scalar_first reorders


def _normal(core: Shape) -> Callable[[np.random.Generator, Shape], Array]:
    return lambda rng, batch: rng.normal(size=batch + core)


def _between(rng: np.random.Generator, batch: Shape) -> Array:
    return rng.uniform(0.1, 0.9, batch)


def _quats(rng: np.random.Generator, batch: Shape) -> Array:
    q = rng.normal(size=(*batch, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _dual_quats(rng: np.random.Generator, batch: Shape) -> Array:
    return dual_quat_twin.from_rotation_translation(_quats(rng, batch), rng.normal(size=(*batch, 3)))


def _matrices(rng: np.random.Generator, batch: Shape) -> Array:
    return quat_twin.to_matrix(_quats(rng, batch)).reshape(*batch, 3, 3)


def _rigid(rng: np.random.Generator, batch: Shape) -> Array:
    m = np.zeros((*batch, 4, 4))
    m[..., :3, :3], m[..., :3, 3], m[..., 3, 3] = _matrices(rng, batch), rng.normal(size=(*batch, 3)), 1
    return m


def _affine(rng: np.random.Generator, batch: Shape) -> Array:
    m = _rigid(rng, batch)
    m[..., :3, :3] *= rng.uniform(0.5, 2, (*batch, 1, 3))
    return m


def _trs(rng: np.random.Generator, batch: Shape) -> Array:
    """Of uniform scale: what composes and inverts exactly."""
    size = np.broadcast_to(rng.uniform(0.5, 2, (*batch, 1)), (*batch, 3))
    return np.concatenate([rng.normal(size=(*batch, 3)), _quats(rng, batch), size], -1)


def _rigid_trs(rng: np.random.Generator, batch: Shape) -> Array:
    return np.concatenate([rng.normal(size=(*batch, 3)), _quats(rng, batch), np.ones((*batch, 3))], -1)


def _several(make: Callable[[np.random.Generator, Shape], Array]) -> Callable[..., Array]:
    return lambda rng, batch: make(rng, (*batch, ITEMS))


_ONE_QUAT, _ONE_TRS = [0, 0, 0, 1], [1, 2, 3, 0, 0, 0, 1, 2, 2, 2]

REAL = Kind("number", (), _between, 1)
TRUTH = Kind("truth", (), _between, True)
VECTOR = Kind("vector", (3,), _normal((3,)), [1, 2, 3])
QUAT = Kind("quaternion", (4,), _quats, _ONE_QUAT, True)
DUAL_QUAT = Kind("dual quaternion", (8,), _dual_quats, [*_ONE_QUAT, 0, 0, 0, 0], True)
PURE = Kind("pure dual quaternion", (8,), lambda rng, batch: _dual_quats(rng, batch) * _VECTORS,
            [1, 2, 3, 0, 4, 5, 6, 0], True)  # fmt: skip
TRS = Kind("trs", (10,), _trs, _ONE_TRS)
RIGID_TRS = Kind("rigid trs", (10,), _rigid_trs, [1, 2, 3, 0, 0, 0, 1, 1, 1, 1])
ROTATION = Kind("rotation matrix", (3, 3), _matrices, np.eye(3, dtype=int).tolist())
STRETCH = Kind("matrix", (3, 3), _matrices, None)
RIGID = Kind("rigid matrix", (4, 4), _rigid, np.eye(4, dtype=int).tolist())
AFFINE = Kind("affine matrix", (4, 4), _affine, np.diag([2, 3, 4, 1]).tolist())
QUATS = Kind("quaternions", (ITEMS, 4), _several(_quats), [_ONE_QUAT] * ITEMS, True)
DUAL_QUATS = Kind("dual quaternions", (ITEMS, 8), _several(_dual_quats), [DUAL_QUAT.whole] * ITEMS, True)
WEIGHTS = Kind("weights", (ITEMS,), _several(_between), [1] * ITEMS)

_VECTORS = np.array([1, 1, 1, 0, 1, 1, 1, 0])


@dataclass(frozen=True)
class Way:
    """One way of calling a public function: its array operands, its results and what else it is given."""

    name: str
    operands: dict[str, Kind]
    results: tuple[Kind, ...]
    options: dict[str, Any] = field(default_factory=dict)
    before: tuple[Any, ...] = ()  # arguments before the operands
    after: tuple[Any, ...] = ()  # and after
    zero: str = ""  # what a message says of operands that are all zeros; empty: the result is finite
    zero_is_not_finite: bool = False  # documented: the logarithm of 0, say
    optional: tuple[str, ...] = ()  # operands that may be None
    broadcasts: bool = True
    has_out: bool = True
    refuses_nan: bool = False  # documented: decompositions that iterate
    # Of n items each, or by several passes: made apart from `out`, which so stays whole on an error.
    allocates: bool = False

    @property
    def function(self) -> Callable[..., Any]:
        module, name = self.name.split(".")
        return getattr(getattr(lissom, module), name)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return self.name + (f"({options})" if options else "")

    @property
    def takes_scalar_first(self) -> bool:
        return "scalar_first" in inspect.signature(self.function).parameters

    def call(self, *arrays: Any, **more: Any) -> Any:
        return self.function(*self.before, *arrays, *self.after, **self.options, **more)

    def results_of(self, *arrays: Any, **more: Any) -> tuple[Any, ...]:
        """What the call gives, always a tuple."""
        given = self.call(*arrays, **more)
        return tuple(given) if len(self.results) > 1 else (given,)

    def operand_arrays(self, batch: Shape = (), dtype: Any = np.float64, seed: int = 1) -> list[Array]:
        rng = np.random.default_rng(seed)
        return [np.asarray(kind.make(rng, batch), dtype) for kind in self.operands.values()]

    def result_dtypes(self, dtype: Any) -> list[np.dtype[Any]]:
        return [np.dtype(bool if kind is TRUTH else dtype) for kind in self.results]

    def new_out(self, batch: Shape, dtype: Any) -> Any:
        """Arrays of the results' shapes, filled with 7: alone, or a tuple of them."""
        dtypes = self.result_dtypes(dtype)
        arrays = [np.full(batch + k.core, 7, d) for k, d in zip(self.results, dtypes, strict=True)]
        return tuple(arrays) if len(arrays) > 1 else arrays[0]


def rolled(kind: Kind, array: Array, shift: int) -> Array:
    """By hand: w of quaternions and of both halves of dual ones to the front (1) or the end (-1)."""
    if not kind.has_quaternion:
        return array
    return np.concatenate([np.roll(half, shift, -1) for half in np.split(array, kind.core[-1] // 4, -1)], -1)


def _ways() -> Iterator[Way]:
    A, AB, ABT = {"q": QUAT}, {"a": QUAT, "b": QUAT}, {"a": QUAT, "b": QUAT, "t": REAL}
    yield Way("quat.multiply", AB, (QUAT,))
    yield Way("quat.conjugate", A, (QUAT,))
    yield Way("quat.inverse", A, (QUAT,), zero="q must")
    yield Way("quat.normalize", A, (QUAT,), zero="q must")
    yield Way("quat.normalize", A, (QUAT,), {"zero": "identity"})
    yield Way("quat.dot", AB, (REAL,))
    yield Way("quat.rotate", {"q": QUAT, "v": VECTOR}, (VECTOR,))
    yield Way("quat.from_rotation_vector", {"v": VECTOR}, (QUAT,))
    yield Way("quat.to_rotation_vector", A, (VECTOR,), zero="q must")
    yield Way("quat.from_axis_angle", {"axis": VECTOR, "angle": REAL}, (QUAT,), zero="axis must")
    yield Way("quat.to_axis_angle", A, (VECTOR, REAL), zero="q must")
    yield Way("quat.from_matrix", {"matrix": ROTATION}, (QUAT,), zero="matrix must")
    yield Way("quat.to_matrix", A, (ROTATION,))
    yield Way("quat.from_euler", {"angles": VECTOR}, (QUAT,), before=("xyz",))
    yield Way("quat.from_euler", {"angles": VECTOR}, (QUAT,), {"degrees": True}, before=("ZXZ",))
    yield Way("quat.from_euler", {"angles": REAL}, (QUAT,), before=("y",), allocates=True)
    yield Way("quat.to_euler", A, (VECTOR,), after=("xyz",), zero="q must")
    yield Way("quat.to_euler", A, (VECTOR,), {"degrees": True}, after=("ZXZ",), zero="q must")
    yield Way("quat.from_to", {"a": VECTOR, "b": VECTOR}, (QUAT,), zero="must")
    yield Way("quat.look_rotation", {"forward": VECTOR, "up": VECTOR}, (QUAT,), zero="must")
    yield Way("quat.slerp", ABT, (QUAT,))
    yield Way("quat.slerp", ABT, (QUAT,), {"short": False})
    yield Way("quat.nlerp", ABT, (QUAT,), zero_is_not_finite=True)
    yield Way("quat.nlerp", ABT, (QUAT,), {"short": False}, zero_is_not_finite=True)
    yield Way("quat.log", A, (QUAT,), zero_is_not_finite=True)
    yield Way("quat.exp", A, (QUAT,))
    yield Way("quat.power", {"q": QUAT, "t": REAL}, (QUAT,), zero_is_not_finite=True)
    yield Way("quat.angle_between", AB, (REAL,))
    yield Way("quat.swing_twist", {"q": QUAT, "axis": VECTOR}, (QUAT, QUAT), zero="must")
    yield Way("quat.same_rotation", AB, (TRUTH,))
    for closed in (False, True):
        yield Way("quat.align", {"q": QUATS}, (QUATS,), {"axis": -1, "closed": closed})
    yield Way("quat.mean", {"q": QUATS}, (QUAT,), {"axis": -1}, zero_is_not_finite=True, allocates=True)
    yield Way("quat.mean", {"q": QUATS, "weights": WEIGHTS}, (QUAT,), {"axis": -1}, zero="weights must",
              optional=("weights",), zero_is_not_finite=True, broadcasts=False, allocates=True)  # fmt: skip

    A, AB = {"q": DUAL_QUAT}, {"a": DUAL_QUAT, "b": DUAL_QUAT}
    yield Way("dual_quat.add", AB, (DUAL_QUAT,))
    yield Way("dual_quat.scale", {"q": DUAL_QUAT, "s": REAL}, (DUAL_QUAT,))
    yield Way("dual_quat.multiply", AB, (DUAL_QUAT,))
    yield Way("dual_quat.conjugate", A, (DUAL_QUAT,))
    yield Way("dual_quat.dual_conjugate", A, (DUAL_QUAT,))
    yield Way("dual_quat.combined_conjugate", A, (DUAL_QUAT,))
    yield Way("dual_quat.inverse", A, (DUAL_QUAT,), zero="q must")
    yield Way("dual_quat.normalize", A, (DUAL_QUAT,), zero="q must")
    yield Way("dual_quat.normalize", A, (DUAL_QUAT,), {"zero": "identity"})
    yield Way("dual_quat.dot", AB, (REAL,))
    yield Way("dual_quat.equal", AB, (TRUTH,))
    yield Way("dual_quat.same_transform", AB, (TRUTH,))
    yield Way("dual_quat.from_quat_translation", {"rotation": QUAT, "translation": VECTOR}, (DUAL_QUAT,))
    yield Way("dual_quat.to_quat_translation", A, (QUAT, VECTOR))
    yield Way("dual_quat.rotation", A, (QUAT,), has_out=False)
    yield Way("dual_quat.translation", A, (VECTOR,))
    yield Way("dual_quat.from_matrix", {"matrix": RIGID}, (DUAL_QUAT,), zero="matrix must")
    yield Way("dual_quat.from_matrix", {"matrix": RIGID}, (DUAL_QUAT, STRETCH), {"return_stretch": True},
              zero="matrix must", refuses_nan=True, allocates=True)  # fmt: skip
    yield Way("dual_quat.to_matrix", A, (RIGID,))
    yield Way("dual_quat.from_trs", {"trs": RIGID_TRS}, (DUAL_QUAT,), zero="trs must")
    yield Way("dual_quat.from_trs", {"trs": RIGID_TRS}, (DUAL_QUAT, VECTOR), {"return_scale": True})
    yield Way("dual_quat.to_trs", A, (TRS,))
    yield Way("dual_quat.to_screw", A, (VECTOR, VECTOR, REAL, REAL))
    screw = {"axis": VECTOR, "moment": VECTOR, "angle": REAL, "pitch": REAL}
    yield Way("dual_quat.from_screw", screw, (DUAL_QUAT,), zero="must")
    yield Way("dual_quat.transform_point", {"q": DUAL_QUAT, "p": VECTOR}, (VECTOR,))
    yield Way("dual_quat.transform_vector", {"q": DUAL_QUAT, "v": VECTOR}, (VECTOR,))
    yield Way("dual_quat.log", A, (DUAL_QUAT,), zero_is_not_finite=True)
    yield Way("dual_quat.exp", {"q": PURE}, (DUAL_QUAT,))
    yield Way("dual_quat.power", {"q": DUAL_QUAT, "t": REAL}, (DUAL_QUAT,), zero_is_not_finite=True)
    for short in (True, False):
        ABT = {**AB, "t": REAL}
        yield Way("dual_quat.sclerp", ABT, (DUAL_QUAT,), {"short": short}, zero_is_not_finite=True)
    yield Way("dual_quat.dlb", {"q": DUAL_QUATS, "weights": WEIGHTS}, (DUAL_QUAT,), zero="weights must",
              zero_is_not_finite=True, allocates=True)  # fmt: skip
    for closed in (False, True):
        yield Way("dual_quat.align", {"q": DUAL_QUATS}, (DUAL_QUATS,), {"axis": -1, "closed": closed})

    A, AB = {"trs": TRS}, {"a": TRS, "b": TRS}
    parts = {"translation": VECTOR, "rotation": QUAT, "scale": VECTOR}
    yield Way("trs.from_parts", parts, (TRS,), optional=tuple(parts))
    for view, kind in (("translation", VECTOR), ("rotation", QUAT), ("scale", VECTOR)):
        yield Way(f"trs.{view}", A, (kind,), has_out=False)
    yield Way("trs.compose", AB, (TRS,), zero_is_not_finite=True)
    yield Way("trs.compose", AB, (TRS,), {"nearest": True}, zero_is_not_finite=True, refuses_nan=True,
              allocates=True)  # fmt: skip
    yield Way("trs.inverse", A, (TRS,), zero="scale must")
    yield Way("trs.inverse", A, (TRS,), {"nearest": True}, zero="scale must", refuses_nan=True,
              allocates=True)  # fmt: skip
    yield Way("trs.to_matrix", A, (AFFINE,))
    for given, options in (((TRS,), {}), ((TRS, REAL), {"return_shear": True})):
        yield Way("trs.from_matrix", {"matrix": AFFINE}, given, options, zero="matrix must",
                  refuses_nan=True)  # fmt: skip
    for short in (True, False):
        yield Way("trs.lerp", {**AB, "t": REAL}, (TRS,), {"short": short})
    yield Way("trs.transform_point", {"trs": TRS, "p": VECTOR}, (VECTOR,))
    yield Way("trs.transform_vector", {"trs": TRS, "v": VECTOR}, (VECTOR,))


# These take a shape, no arrays.
MAKERS = ("quat.identity", "quat.random", "dual_quat.identity", "trs.identity")


def public_functions() -> dict[str, Callable[..., Any]]:
    members = {
        f"{module.__name__.removeprefix('lissom.')}.{name}": getattr(module, name)
        for module in (quat, dual_quat, trs)
        for name in module.__all__
    }
    return {name: thing for name, thing in members.items() if not inspect.isclass(thing)}


@functools.cache
def ways() -> tuple[Way, ...]:
    return tuple(_ways())


# ---- What the tests say of a way. ----


def each_way_where(holds: Callable[[Way], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("way", [way for way in ways() if holds(way)], ids=str)


def has_quaternion(way: Way) -> bool:
    return any(kind.has_quaternion for kind in (*way.operands.values(), *way.results))


def number_places(way: Way) -> list[int]:
    return [i for i, kind in enumerate(way.operands.values()) if kind.core == ()]


each_way = each_way_where(lambda way: True)


def assert_same_results(way: Way, got: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    """To the bit; of a view only the values, for its precision and byte order are its owner's."""
    if not way.has_out:
        got = tuple(np.asarray(g, e.dtype) for g, e in zip(got, expected, strict=True))
    assert_same_bits(got, expected)


def assert_same_bits(got: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        assert np.array_equal(np.signbit(one), np.signbit(other)) or np.isnan(one).any()


def assert_says(way: Way, error: BaseException, argument: str | None = None, got: bool = True) -> None:
    """One sentence: function, argument, expected, got."""
    text = str(error)
    assert re.match(rf"{way.name}: \S", text), text
    assert re.search(r"\bmust\b", text), text
    assert not got or re.search(r"\bgot \S", text), text
    assert "\n" not in text
    assert not text.endswith("."), text
    if argument is not None:
        assert re.match(rf"{way.name}: .*\b{argument}\b", text), text


def replaced(arrays: list[Any], index: int, value: Any) -> list[Any]:
    return [value if i == index else array for i, array in enumerate(arrays)]
