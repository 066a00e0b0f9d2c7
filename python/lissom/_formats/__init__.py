# SPDX-License-Identifier: MIT
"""File formats: from bytes to arrays and back, without characters or poses."""
