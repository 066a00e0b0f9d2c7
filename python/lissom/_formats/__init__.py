# SPDX-License-Identifier: MIT
"""File formats that know nothing of characters: bytes become arrays and back."""
