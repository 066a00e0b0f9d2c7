# SPDX-License-Identifier: MIT
"""`lissom.view`: a file or a folder in the browser of this machine."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
import webbrowser
from pathlib import Path
from types import TracebackType
from typing import Self

from lissom._base.numbers import check_flag, whole_number
from lissom._base.set_module import set_module
from lissom._formats.regular_file import check_path
from lissom._viewer.access import Access
from lissom._viewer.connection import HOST, LoopbackServer
from lissom._viewer.converter import Converter, NotWanted
from lissom._viewer.desk import Desk
from lissom._viewer.handler import Handler
from lissom._viewer.shelf import Refused, Shelf

__all__ = ["Viewer", "view"]

MOST_STREAMS = 3
"""Most pages that are told of changes as they come; further ones ask again and again.

A browser has six connections to one server: where streams hold all of them, no further page is loaded.
"""

MOST_PORT = 65535


class Server(LoopbackServer):
    """The server of one viewer.

    Attributes
    ----------
    desk : Desk
    access : Access
    folder : Path
        For files that are dropped.
    streams : threading.BoundedSemaphore
    """

    def __init__(self, port: int, desk: Desk, folder: Path) -> None:
        super().__init__(port, Handler)
        self.desk = desk
        self.folder = folder
        self.access = Access(self.server_address[1])
        self.streams = threading.BoundedSemaphore(MOST_STREAMS)


@set_module("lissom")
class Viewer:
    """A server that shows files to the browser of this machine, returned by `view`.

    It runs in threads of its own until it is closed, or the program ends. ``with`` closes it.

    Attributes
    ----------
    url : str
        Address of the page. Whoever has it can see the files, so it is as secret as they are.
    port : int

    Examples
    --------
    >>> with lissom.view("sample:twisted_bar", browser=False) as viewer:
    ...     viewer.url.startswith(f"http://127.0.0.1:{viewer.port}/")
    True
    """

    def __init__(self, shelf: Shelf, port: int, caller: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lissom-view-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self._converter = Converter(folder)
        desk = Desk(shelf, self._converter)
        try:
            self._server = Server(port, desk, folder)
        except OSError as error:
            self._folder.cleanup()
            raise _port_fault(error, port, caller) from None
        self.port = self._server.access.port
        self.url = f"http://{HOST}:{self.port}/{self._server.access.token}/"
        for begin in (self._convert_first, self._make_page):
            threading.Thread(target=begin, name="lissom-view-begin", daemon=True).start()
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="lissom-view", daemon=True
        )
        self._thread.start()

    def _make_page(self) -> None:
        """Join the page's script while the browser starts."""
        from lissom._viewer.page import viewer_page

        viewer_page("")

    def _convert_first(self) -> None:
        """Convert the first file before the page asks for it."""
        desk = self._server.desk
        try:
            entries = desk.listing().entries
            if entries:
                desk.shown(entries[0].key)
        except (NotWanted, Refused):
            pass

    def open(self) -> bool:
        """Open the page in the browser; return whether one could be started.

        Examples
        --------
        >>> viewer = lissom.view("sample:twisted_bar", browser=False)
        >>> viewer.open()  # doctest: +SKIP
        True
        >>> viewer.close()
        """
        return webbrowser.open(f"http://{HOST}:{self.port}/open/{self._server.access.once()}")

    def close(self) -> None:
        """End the server and what it started; pages that show it keep their picture.

        Examples
        --------
        >>> viewer = lissom.view("sample:twisted_bar", browser=False)
        >>> viewer.close()
        """
        if self._server.stopping.is_set():
            return
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._converter.close()
        self._thread.join()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._server.stopping.is_set() else self.url
        return f"Viewer({self._server.desk.shelf.source!r}, {state})"


@set_module("lissom")
def view(path: str | os.PathLike[str], *, port: int = 0, browser: bool = True) -> Viewer:
    """Show a file, or those of a folder, in the browser, and show it again whenever it is written.

    A small server is bound to the loopback address of this machine. The page plays the file as
    `Character.show` does, keeps clip and camera when it is read again, and takes files that are dropped onto
    it. A folder is leafed through, its subfolders too. :doc:`/howto/view-files`

    Parameters
    ----------
    path : path-like
        A .glb, .gltf, .vrm or .bvh file, a bake (.safetensors), a folder of such files, or a sample
        ("sample:humanoid").
    port : int
        Of the server; a free one when 0.
    browser : bool
        Open the page at once.

    Returns
    -------
    Viewer
        To be closed, or kept while the page is used.

    Raises
    ------
    OSError
        If there is no such file or folder, it cannot be read, or the port is in use.
    ValueError
        If the file is of no kind that can be shown, or `port` is no port.

    Notes
    -----
    Files are read by a child process with the budget of `load`: what breaks there breaks alone, and the page
    says why. Other users of the machine cannot see the page, for its address holds a secret.

    Examples
    --------
    >>> viewer = lissom.view("sample:twisted_bar", browser=False)
    >>> viewer.port > 0
    True
    >>> viewer.close()
    """
    from lissom._jobs.sources import sample_meant

    port = whole_number(port, "view: port")
    if port > MOST_PORT:
        raise ValueError(f"view: port must be at most {MOST_PORT}, got {port}")
    browser = check_flag(browser, "view: browser")
    if callable(getattr(path, "show", None)):
        raise TypeError(f"view: path must be a path, got {type(path).__name__}; its method show() plays it")
    viewer = Viewer(Shelf(sample_meant(check_path(path, "view: path")), "view"), port, "view")
    if browser:
        viewer.open()
    return viewer


def _port_fault(error: OSError, port: int, caller: str) -> OSError:
    why = {errno.EADDRINUSE: "is in use", errno.EACCES: "may not be taken"}.get(error.errno or 0)
    if why is None:
        return error
    fault = OSError(f"{caller}: port {port} {why}; leave it out for a free one")
    fault.errno = error.errno
    return fault
