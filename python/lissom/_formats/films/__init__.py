# SPDX-License-Identifier: MIT
"""Files of moving pictures: GIF, PNG, WebP and videos, written picture by picture."""
