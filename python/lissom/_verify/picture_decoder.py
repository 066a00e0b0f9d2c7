# SPDX-License-Identifier: MIT
"""The process that decodes a picture for `picture_apart`: a line of what it is, then its numbers."""

from __future__ import annotations

import sys
from pathlib import Path


def _main(path: str, what: str, most_bytes: int) -> None:
    from lissom._base.extras import require
    from lissom._export.float_images import read_image

    require("OpenImageIO", "export", what)  # before the limit: its libraries are no stranger's
    _limit(most_bytes)
    pixels = read_image(Path(path), what)
    sys.stdout.buffer.write(f"pixels {' '.join(map(str, pixels.shape))}\n".encode())
    sys.stdout.buffer.write(pixels.tobytes())


def _limit(most_bytes: int) -> None:
    if sys.platform != "linux":  # elsewhere only time is bounded
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + most_bytes, now + most_bytes))


if __name__ == "__main__":
    try:
        _main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    except ImportError as error:
        sys.stdout.write(f"ImportError\n{error}")
    except MemoryError:
        sys.stdout.write(f"ValueError\n{sys.argv[2]}: {sys.argv[1]} takes too much memory; is it a texture?")
    except (ValueError, OSError) as error:
        sys.stdout.write(f"ValueError\n{error}")
