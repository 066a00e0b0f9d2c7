# SPDX-License-Identifier: MIT
"""`make fuzz-draco`: mutated Draco streams in files, loaded in child processes that may die.

Usage: python tests/fuzz/draco_streams.py [STREAMS, 100000] [FIRST SEED]. Prints how many were read and
refused, and the seeds of those that ended a child, took too long or raised another error.
"""

import sys
from collections import Counter
from itertools import islice

import numpy as np

import explorer
import lissom
from draco_files import sheet
from lissom.errors import GltfError

BASES = [sheet(side, keeps_order=keeps, seed=side) for side in (2, 3, 5) for keeps in (True, False)]


def mutated(seed: int) -> bytes:
    """One of the bases with a stream that was changed in up to six places."""
    rng = np.random.default_rng(seed)
    file = BASES[rng.integers(len(BASES))]
    view = file.json["bufferViews"][0]
    stream = bytearray(file.binary[: view["byteLength"]])
    for _ in range(1 + rng.integers(6)):
        end = len(stream) if rng.random() < 0.5 else min(60, len(stream))
        at = int(rng.integers(11, end))
        kind = rng.integers(4)
        if kind == 0:
            stream[at] ^= 1 << rng.integers(8)
        elif kind == 1:
            stream[at] = rng.integers(256)
        elif kind == 2:
            stream[at] = (0, 127, 128, 255)[rng.integers(4)]
        else:
            other = rng.integers(11, len(stream))
            stream[at : at + 4] = stream[other : other + 4]
    stream = stream[: view["byteLength"]]
    whole = bytes(file.binary)
    file.binary[: len(stream)] = stream
    data = file.glb()
    file.binary[:] = whole
    return data


def loaded(_: str, data: bytes) -> str:
    try:
        lissom.load(data)
    except GltfError as error:
        return error.code
    return "read"


def main() -> None:
    count, first = (int(word) for word in (sys.argv[1:] + ["100000", "0"][len(sys.argv) - 1 :])[:2])
    explorer.travel = loaded
    lissom.load(BASES[0].glb())  # imports what children then share
    came: Counter[str] = Counter()
    seeds = iter(range(first, first + count))
    while batch := list(islice(seeds, 10_000)):
        for outcome in explorer.explore(batch, lambda seed: ("draco", mutated(seed)), batch=250):
            came[outcome.sign or outcome.came] += 1
            if outcome.sign:
                print(f"seed {outcome.seed}: {outcome.sign}", flush=True)
        print(sum(came.values()), dict(came), flush=True)


if __name__ == "__main__":
    main()
