# SPDX-License-Identifier: MIT
"""The library of results: the clips of many bakes as one table, in a file that is asked lazily."""
