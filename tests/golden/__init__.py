# SPDX-License-Identifier: MIT
"""The golden vectors: which cases there are, and how ``make golden`` makes ``tests/data/golden`` of them."""
