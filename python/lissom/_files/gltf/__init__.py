# SPDX-License-Identifier: MIT
"""glTF 2.0 and GLB: from bytes to a :class:`lissom.Character`.

The way through: ``source`` opens, ``container`` splits, ``json_text`` decodes into ``schema``, ``buffers``
and ``accessors`` check every declared size before anything is read, ``hierarchy`` sorts the nodes, ``skins``,
``primitives``, ``materials`` and ``animations`` decode, ``merge`` moves all parts into model space,
``reader`` ties it together. ``strict`` holds the checks that only a strict load makes.
"""
