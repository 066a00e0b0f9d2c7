# SPDX-License-Identifier: MIT
"""Loading and saving of characters: from files to `lissom.Character`, and back."""
