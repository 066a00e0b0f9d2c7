# SPDX-License-Identifier: MIT
"""The options of each command, a file each; the module of that name in `lissom.cli` does the work."""
