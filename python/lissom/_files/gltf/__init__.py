# SPDX-License-Identifier: MIT
"""The glTF 2.0 and GLB reader: from bytes to a :class:`lissom.Character`.

The steps: ``source`` opens, ``container`` splits, ``json_text`` decodes into ``schema``, ``buffers`` and
``accessors`` check every declared size before anything is read, ``hierarchy`` sorts the nodes, ``skins``,
``primitives``, ``materials`` and ``animations`` decode, ``merge`` moves all parts into model space,
``reader`` runs them. ``strict_json`` and ``strict_data`` are the checks that only a strict load makes.
"""
