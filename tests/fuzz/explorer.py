# SPDX-License-Identifier: MIT
"""Tries seeds in forked children, which may crash, hang or eat memory, and tells what each did."""

import os
import re
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from journeys import travel

Case = Callable[[int], tuple[str, bytes]]  # kind and input of a seed

IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
SECONDS = 60 if IS_SANITIZED else 10  # of one input; sanitizers take several times as long
# What a child may take beyond what it starts with: the promised 64 MiB, 8 times a few kilobytes, and
# what comes after reading, MOST_VERTEX_POSES and stacks of threads. Good files pass with half of it.
BYTES = (128 << 20) + (8 << 20) * (os.cpu_count() or 1)


@dataclass(frozen=True)
class Outcome:
    """How an input ended: `sign` names a fault by kind and place, and is empty where there is none."""

    seed: int
    came: str
    sign: str = ""
    text: str = ""


def explore(seeds: Iterable[int], case: Case, batch: int = 50) -> Iterator[Outcome]:
    """Try seeds in batches, a child for each batch; after a crash, the rest of it in another child."""
    waiting = iter(seeds)
    left = list(islice(waiting, batch))
    while left:
        done = 0
        for outcome in child(left, case):
            yield outcome
            done += 1
        left = left[done:]
        left += islice(waiting, batch - len(left))


def child(seeds: list[int], case: Case) -> Iterator[Outcome]:
    """Outcomes of seeds as far as one child comes; the last may be how it died."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        try:
            work(seeds, case, os.fdopen(write_end, "w"))
        finally:
            os._exit(0)
    os.close(write_end)
    count = 0
    with os.fdopen(read_end) as said:
        for line in said:
            came, sign, text = line.rstrip("\n").split("\t")
            yield Outcome(seeds[count], came, sign, text.replace("\x1f", "\n"))
            count += 1
    _, status = os.waitpid(pid, 0)
    if count < len(seeds):
        code = os.waitstatus_to_exitcode(status)  # negative: a signal
        how = signal.Signals(-code).name if code < 0 else f"exit {code}"
        how = {"SIGALRM": f"more than {SECONDS} s"}.get(how, how)
        yield Outcome(seeds[count], "died", f"died: {how}")


def work(seeds: list[int], case: Case, say: object) -> None:
    limit_memory()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the child wherever it is
    for seed in seeds:
        kind, data = case(seed)
        signal.alarm(SECONDS)
        try:
            came, sign, text = travel(kind, data), "", ""
        except Exception as error:
            came, sign, text = "failed", sign_of(error), short_traceback(error)
        signal.alarm(0)
        line = "\t".join(part.replace("\n", "\x1f").replace("\t", " ") for part in (came, sign, text))
        print(line, file=say, flush=True)  # type: ignore[call-overload]


def limit_memory() -> None:
    """Of address space. Sanitizers reserve terabytes of it and have their own limit, hard_rss_limit_mb."""
    if IS_SANITIZED:
        return
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, now + BYTES))


def short_traceback(error: BaseException) -> str:
    """Files without their folders."""
    return re.sub(r'File ".*/', 'File "', "".join(traceback.format_exception(error)))


def sign_of(error: BaseException) -> str:
    """Type and place of an error, without its numbers, which differ from input to input."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "lissom" in frame.filename] or frames
    words = re.sub(r"[\d.e+-]+", "N", str(error).split("\n")[0])[:80]
    place = f"{os.path.basename(own[-1].filename)}:{own[-1].name}"
    return f"{type(error).__name__} in {place}: {words}".replace("\t", " ")


if sys.platform == "win32":
    raise ImportError("children are forked here, which Windows cannot")
