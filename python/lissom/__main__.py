# SPDX-License-Identifier: MIT
"""``python -m lissom`` is the command ``lissom``."""

from lissom.cli import main

if __name__ == "__main__":
    main()
