# SPDX-License-Identifier: MIT
"""Baking many files: jobs and their keys, child processes that may crash, records, the folder's manifest."""
