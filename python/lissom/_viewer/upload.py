# SPDX-License-Identifier: MIT
"""A file that was dropped onto the page: taken if it is named, counted and small enough, and not before."""

from __future__ import annotations

import os
import re
import tempfile
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lissom._base.printable import printable
from lissom._viewer.drop_names import kind_fault, last_part, size_fault, stored_name
from lissom._viewer.shelf import SUFFIXES

if TYPE_CHECKING:
    from lissom._viewer.handler import Handler

__all__ = ["UploadRefused", "receive"]

UPLOAD_SECONDS = 120.0
"""Longest that it may take to send it."""

PIECE = 1 << 20


class UploadRefused(Exception):
    """An upload that is not taken."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def receive(handler: Handler, folder: Path, encoded: str) -> tuple[Path, str]:
    """Write the body of a request into a folder of its own, and return its path and its name.

    UploadRefused before a byte is read where it is too large, does not say how large it is, or is of no
    kind that is shown.
    """
    name = last_part(unquote(encoded, errors="replace"))
    size = _size(handler)
    fault = size_fault(name, size, "`lissom view` opens it from its place")
    if fault is not None:
        raise UploadRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, fault)
    fault = kind_fault(name, SUFFIXES)
    if fault is not None:
        raise UploadRefused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, fault)
    if handler.headers.get("Expect", "").lower() == "100-continue":
        handler.send_response_only(HTTPStatus.CONTINUE)
        handler.end_headers()
    handler.deadline.restart(UPLOAD_SECONDS)
    path = Path(tempfile.mkdtemp(dir=folder)) / stored_name(name)
    try:
        with open(path, "xb") as file:
            left = size
            while left:
                piece = handler.rfile.read(min(PIECE, left))
                if not piece:
                    raise UploadRefused(HTTPStatus.BAD_REQUEST, f"{printable(name)}: was not sent whole")
                file.write(piece)
                left -= len(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        os.rmdir(path.parent)
        raise
    return path, name


def _size(handler: BaseHTTPRequestHandler) -> int:
    """Return how many bytes a request says that it has."""
    headers = handler.headers
    lengths = headers.get_all("Content-Length") or []
    if "Transfer-Encoding" in headers or len(lengths) != 1 or not re.fullmatch(r"[0-9]{1,15}", lengths[0]):
        raise UploadRefused(HTTPStatus.LENGTH_REQUIRED, "an upload must say how many bytes it has")
    return int(lengths[0])
