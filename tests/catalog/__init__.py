# SPDX-License-Identifier: MIT
"""The library of results: catalogues of bakes, and pages of their clips."""
