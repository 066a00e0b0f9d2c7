# SPDX-License-Identifier: MIT
"""File formats: bytes become arrays and back, nothing else."""
