# SPDX-License-Identifier: MIT
"""Rotations, rigid transforms and trs to sixty digits, one at a time: right to the last bit of a float64.

Written from the papers over mpmath numbers, in lists, and with no regard to speed. Wherever the core has a
formula that is quick or stable, here stands the definition instead: at sixty digits, cancellation costs
nothing. Conventions are the package's: x, y, z, w; Hamilton's product; real, then dual; columns.

What must be unit is made exactly unit first: rounded to float64, it stands for the rotation nearest to it.
"""
