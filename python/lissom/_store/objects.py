# SPDX-License-Identifier: MIT
"""A store by obstore, which talks to buckets; its errors become those of files, in a sentence.

obstore rather than fsspec, as it creates conditionally in all of them by itself: fsspec needs one more
package for each kind of bucket.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

from lissom._base.extras import require
from lissom._store.store import check_key

__all__ = ["Objects", "Variables", "variables_of"]

CREDENTIALS = re.compile(
    r"credential|account must|token request|access key|signature|RequestTimeTooSkewed", re.I
)
"""In messages of those who were not let in, some of which obstore has no class for."""

NO_CREDENTIALS = re.compile(r"//169\.254\.169\.254|//metadata\.google|account must be specified", re.I)
"""Said where the environment has none: the library then asks the host that a provider's machines have."""

MOST_WORDS = 400
"""Most characters of a message of a server."""

MOST_CAUSE = 90
"""Most characters of a message whose cause is told already."""


class Variables(NamedTuple):
    """Those of the environment that a kind of buckets is entered by."""

    prefix: str
    credentials: str
    """What lets in, as a sentence names it."""


_AZURE = Variables("AZURE_", "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY")
_VARIABLES = {
    "s3": Variables("AWS_", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    "gs": Variables("GOOGLE_", "GOOGLE_APPLICATION_CREDENTIALS"),
}


def variables_of(url: str) -> Variables:
    """Return the variables of the environment that an address is entered by."""
    return _VARIABLES.get(url.partition(":")[0], _AZURE)


class Objects:
    """A store of obstore, opened when it is first used, in each process again."""

    def __init__(self, url: str, opened: Callable[[str], Any]) -> None:
        self.url = url
        self._open = opened
        self._library = require("obstore", "cloud", "a store")
        self._opened: Any = None

    def __repr__(self) -> str:
        return f"open_store({self.url!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Objects, (self.url, self._open)

    def read(self, key: str) -> bytes:
        """See `Store.read`."""
        check_key(key)
        try:
            return bytes(self._library.get(self._store(), key).bytes())
        except Exception as error:
            self._refuse(error, key)

    def size(self, key: str) -> int:
        """See `Store.size`."""
        check_key(key)
        try:
            return int(self._library.head(self._store(), key)["size"])
        except Exception as error:
            self._refuse(error, key)

    def write(self, key: str, data: bytes) -> None:
        """See `Store.write`."""
        check_key(key)
        try:
            self._library.put(self._store(), key, data)
        except Exception as error:
            self._refuse(error, key)

    def create(self, key: str, data: bytes) -> bool:
        """See `Store.create`."""
        check_key(key)
        try:
            self._library.put(self._store(), key, data, mode="create")
        except self._library.exceptions.AlreadyExistsError:
            return False
        except Exception as error:
            self._refuse(error, key)
        return True

    def keys(self, prefix: str) -> Iterator[str]:
        """See `Store.keys`."""
        folder = prefix.rpartition("/")[0]
        try:
            for some in self._library.list(self._store(), folder or None):
                yield from (found["path"] for found in some if found["path"].startswith(prefix))
        except Exception as error:
            self._refuse(error, prefix)

    def delete(self, key: str) -> None:
        """See `Store.delete`."""
        check_key(key)
        try:
            self._library.delete(self._store(), key)
        except FileNotFoundError:
            pass
        except Exception as error:
            self._refuse(error, key)

    def _store(self) -> Any:
        if self._opened is None:
            self._opened = self._open(self.url)
        return self._opened

    def _refuse(self, error: Exception, key: str) -> NoReturn:
        """Raise an error of the library as one of files."""
        faults = self._library.exceptions
        place = f"{self.url}/{key}"
        words = " ".join(str(error).partition("\n\nDebug source:")[0].split())[:MOST_WORDS]
        system = re.search(r"\(os error (\d+)\)", words)
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(errno.ENOENT, _reason("there is none", words), place) from None
        if isinstance(error, NotImplementedError | faults.NotSupportedError):
            raise ValueError(
                f"store: {self.url} cannot create a key only where there is none: {words}"
            ) from None
        if system is not None:
            number = int(system[1])
            raise OSError(number, os.strerror(number), place) from None
        variables = variables_of(self.url)
        if NO_CREDENTIALS.search(words):
            hint = f"there are no credentials for this store: set {variables.credentials}"
            raise PermissionError(errno.EACCES, f"{hint} ({_shortened(words)})", self.url) from None
        if "builder error" in words and "http://" in words:
            hint = f"its endpoint is plain HTTP: set {variables.prefix}ALLOW_HTTP=true if that is meant"
            raise PermissionError(errno.EACCES, f"{hint} ({_shortened(words)})", self.url) from None
        if isinstance(
            error, faults.PermissionDeniedError | faults.UnauthenticatedError
        ) or self._is_of_credentials(words, key):
            hint = f"not let in: set {variables.credentials} to those of this store, and the clock"
            raise PermissionError(errno.EACCES, f"{hint}; {words}", place) from None
        if isinstance(error, faults.BaseError):
            raise OSError(errno.EIO, words, place) from None
        raise error

    def _is_of_credentials(self, words: str, key: str) -> bool:
        """Whether a message says that its sender is not let in, whatever the names in it say."""
        names = filter(None, (key, self.url, self.url.partition("://")[2]))
        for name in (r"https?://\S+", *map(re.escape, names)):
            words = re.sub(rf"(?<![\w-]){name}(?![\w-])", "", words)
        return CREDENTIALS.search(words) is not None


def _shortened(words: str) -> str:
    return words if len(words) <= MOST_CAUSE else f"{words[:MOST_CAUSE].rstrip()}..."


def _reason(what: str, words: str) -> str:
    """Return a reason, and what the server said of it where it is more than that."""
    said = re.search(r"<Message>(.*?)</Message>", words)
    return what if said is None else f"{what}: {said[1]}"
