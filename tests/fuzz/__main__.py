# SPDX-License-Identifier: MIT
"""`make fuzz`: try inputs for LISSOM_FUZZ_SECONDS, an hour if unset, from where the last run stopped.

Findings lie in build/fuzz/findings, one of each sign: the input, minimised, and beside it what happened. The
first argument is a folder in place of build/fuzz.
"""

import json
import os
import sys
import time
from collections import Counter
from itertools import count
from pathlib import Path

from bases import bases
from explorer import explore
from minimising import minimised
from mutations import KINDS, case

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/fuzz")
findings = folder / "findings"
findings.mkdir(parents=True, exist_ok=True)
state = folder / "state"
known = {json.loads(path.read_text())["sign"] for path in findings.glob("*.json")}
until = time.monotonic() + float(os.environ.get("LISSOM_FUZZ_SECONDS", "3600"))
for kind in KINDS:
    bases(kind)  # made once, before children share them
first = int(state.read_text()) if state.exists() else 0
came: Counter[str] = Counter()
for outcome in explore(count(first), case):
    kind = KINDS[outcome.seed % len(KINDS)]
    came[f"{kind} {outcome.came}"] += 1
    if outcome.sign and f"{kind}: {outcome.sign}" not in known:
        sign = f"{kind}: {outcome.sign}"
        known.add(sign)
        data = case(outcome.seed)[1]
        print(f"seed {outcome.seed}, {sign}", flush=True)
        small = minimised(kind, data, outcome.sign)
        path = findings / f"{kind}-{outcome.seed}"
        path.with_suffix(".bin").write_bytes(small)
        path.with_suffix(".json").write_text(
            json.dumps({"kind": kind, "seed": outcome.seed, "sign": sign, "text": outcome.text}, indent=1)
        )
    state.write_text(str(outcome.seed + 1))
    if time.monotonic() > until:
        break
print(f"{sum(came.values())} inputs from seed {first}, {len(known)} findings in {findings}")
for name, number in sorted(came.items()):
    print(f"  {name}: {number}")
