# SPDX-License-Identifier: MIT
"""Bytes by keys: the same of folders, memory and buckets."""

import concurrent.futures
import errno
import multiprocessing
import os
import pickle
import re
import subprocess
import sys

import pytest

from lissom._store import open_store, require_create
from lissom._store.open_store import REQUEST_TIME
from object_server import BUCKET, answers, without_conditions

KEY = "records/0123.json"


def test_what_was_written_is_read_and_listed(store):
    store.write("bakes/a", b"old")
    store.write("bakes/a", b"\0\xff")
    store.write("bakes/deep/b.c", b"")
    store.write("bakes-not", b"x")
    assert store.read("bakes/a") == b"\0\xff"
    assert store.read("bakes/deep/b.c") == b""
    assert sorted(store.keys("bakes/")) == ["bakes/a", "bakes/deep/b.c"]
    assert list(store.keys("none/")) == []
    assert (store.size("bakes/a"), store.size("bakes/deep/b.c")) == (2, 0)
    with pytest.raises(FileNotFoundError):
        store.size("bakes/none")


def test_a_key_is_created_once(store):
    assert store.create(KEY, b"first")
    assert not store.create(KEY, b"second")
    assert store.read(KEY) == b"first"


def test_of_many_that_create_one_succeeds(store):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda i: store.create(KEY, b"%d" % i * 5000), range(32)))
    assert made.count(True) == 1
    assert store.read(KEY) == b"%d" % made.index(True) * 5000


def test_a_missing_key_is_named(store):
    with pytest.raises(FileNotFoundError) as caught:
        store.read("no/such")
    assert caught.value.filename == f"{store.url}/no/such"
    assert "\n" not in str(caught.value)


def test_it_opens_again_by_its_url_and_travels(store):
    store.write("a", b"1")
    assert open_store(store.url).read("a") == b"1"
    assert pickle.loads(pickle.dumps(store)).read("a") == b"1"


NO_KEYS = ["", "/a", "a/", "a//b", "../a", ".parts/a", "a/./b", "a\\b", "a\nb", "x" * 1025, "\udc80"]


@pytest.mark.parametrize("key", NO_KEYS)
@pytest.mark.parametrize("call", ["read", "write", "create"])
def test_names_that_are_no_keys_are_refused(tmp_path, call, key):
    store = open_store(tmp_path / "store")
    with pytest.raises(ValueError, match=r"^store: key must "):
        getattr(store, call)(*((key,) if call == "read" else (key, b"")))
    assert list(tmp_path.iterdir()) == []


BAD_URLS = {
    "": "url must be a folder, s3://",
    "ftp://host/a": "url must be a folder, s3://",
    "s3:///prefix": r"must name a bucket, as s3://BUCKET/PREFIX, got 's3:///prefix'",
    "file://host/a": "with three slashes",
    "s3//studio/bakes": r"must be s3://studio/bakes, or .* \./s3//studio/bakes, got 's3//studio/bakes'",
    "s3:/studio": r"must be s3://studio, or .* \./s3:/studio, got",
    "S3:studio": "must be s3://studio, or",
    "gs//b": "must be gs://b, or",
    "az:/b": "must be az://b, or",
    "memory//b": "must be memory://b, or",
    "file:/b": "must be file:///b, or",
    "https://host/bucket": "https://host/bucket cannot create a key only where there is none",
}


@pytest.mark.parametrize("url", BAD_URLS)
def test_an_address_of_no_store_is_refused(url):
    with pytest.raises(ValueError, match=BAD_URLS[url]):
        open_store(url)
    with pytest.raises(TypeError, match="store: url must be a str or a path, got int"):
        open_store(3)


def test_folders_with_the_name_of_a_scheme_are_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("./s3//studio", "s3/studio", "s3studio//a", "gsx:/a"):
        assert open_store(name).url == str(tmp_path / os.path.normpath(name))


def test_a_scheme_may_be_in_capitals():
    assert open_store("S3://Studio/b").url == "s3://Studio/b"
    open_store("memory://capitals").write("a", b"1")
    assert open_store("Memory://capitals").read("a") == b"1"


def test_a_folder_is_made_by_the_first_write(tmp_path):
    folder = tmp_path / "a b" / "ü"
    store = open_store(folder.as_uri())
    assert store.url == str(folder)
    assert list(store.keys("")) == []
    with pytest.raises(FileNotFoundError, match=r"k'$"):
        store.read("k")
    with pytest.raises(FileNotFoundError):
        store.size("k")
    assert not folder.exists()
    store.write("k", b"v")
    assert (folder / "k").read_bytes() == b"v"


def told_of_the_disk(monkeypatch, root):
    """Have what is flushed and named be told in order, by paths below a folder."""
    told = []

    def spy(name, paths):
        own = getattr(os, name)

        def call(*args):
            result = own(*args)
            told.append((name, *(os.path.relpath(path, root) for path in paths(*args))))
            return result

        monkeypatch.setattr(os, name, call)

    spy("fsync", lambda number: [os.readlink(f"/proc/self/fd/{number}")])
    for name in ("replace", "link"):
        spy(name, lambda _, target: [target])
    return told


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize(("call", "place"), [("write", "replace"), ("create", "link")])
def test_what_a_folder_took_is_on_the_disk(tmp_path, monkeypatch, call, place):
    store = open_store(tmp_path / "store")
    told = told_of_the_disk(monkeypatch, tmp_path)
    for _ in range(2):
        getattr(store, call)("bakes/a/b", b"1")
    made, *rest = [event for event in told if event[1] in ("store/bakes/a", "store/bakes/a/b")]
    assert made == (place, "store/bakes/a/b")
    before = told[: told.index(made)]
    ((_, temporary),) = [event for event in before if event[1].startswith("store/.parts/")]
    assert temporary.endswith(".part")
    # Folders that were made are named in those above.
    assert {("fsync", path) for path in (".", "store", "store/bakes")} < set(before)
    assert rest[0] == ("fsync", "store/bakes/a")
    assert not list((tmp_path / "store" / ".parts").iterdir())


def test_what_a_killed_writer_left_is_no_key_and_goes(tmp_path):
    store = open_store(tmp_path / "store")
    code = (
        "import os, sys; from lissom._store import open_store\n"
        "os.replace = lambda *_: os._exit(9)\n"
        "open_store(sys.argv[1]).write('bakes/a', b'1')\n"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "store"], check=False)
    assert run.returncode == 9
    (left,) = (tmp_path / "store" / ".parts").iterdir()
    assert list(store.keys("")) == []
    store.write("bakes/a", b"2")
    assert list(store.keys("")) == ["bakes/a"]
    assert not left.exists()


def test_a_folder_that_cannot_link_is_refused_by_name(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(ValueError, match=f"{tmp_path}/s cannot create a key only .* no hard links"):
        require_create(open_store(tmp_path / "s"))


def test_a_file_is_no_store(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"kept")
    store = open_store(path)
    for call in (lambda: store.read("k"), lambda: store.size("k"), lambda: list(store.keys(""))):
        with pytest.raises(NotADirectoryError, match=r"file(/k)?'$"):
            call()
    with pytest.raises(FileExistsError, match=r"must be a folder, got a file: '.*/file'$"):
        store.write("k", b"")
    with pytest.raises(NotADirectoryError, match=r"for .*/file is a file: '.*/file/below'$"):
        require_create(open_store(path / "below"))
    assert path.read_bytes() == b"kept"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_folder_that_takes_nothing_is_named_itself():
    with pytest.raises(OSError, match="nothing can be written into this folder") as caught:
        require_create(open_store("/proc"))
    assert caught.value.filename == "/proc"


def test_a_store_that_is_full_from_the_start_is_named_and_left_empty(tmp_path, monkeypatch):
    def refuse(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    (tmp_path / ".parts").mkdir()
    with pytest.raises(OSError, match="No space left on device") as caught:
        require_create(open_store(tmp_path))
    assert caught.value.filename == str(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".parts"]


def test_a_store_that_creates_is_taken(store):
    store.write("kept", b"1")
    require_create(store)
    assert list(store.keys("")) == ["kept"]


def test_a_create_whose_answer_was_lost_is_taken(server):
    lost = []

    def once(environment, start, behind):
        if environment["REQUEST_METHOD"] != "PUT" or lost:
            return behind(environment, start)
        lost.append(environment["PATH_INFO"])
        for _ in behind(environment, lambda *_: None):  # it is stored
            pass
        start("500 Internal Server Error", [("Content-Length", "0")])
        return [b""]

    server.fault = once
    store = open_store(f"s3://{BUCKET}/lost")
    require_create(store)
    assert len(lost) == 1
    assert list(store.keys("")) == []


def test_a_large_write_has_time_and_goes_in_parts(server):
    store = open_store(f"s3://{BUCKET}/large")
    data = bytes(range(256)) * 50_000  # 12.8 MB
    store.write("bakes/large", data)
    puts = [path for method, path in server.requests if method == "PUT" and path.endswith("/bakes/large")]
    assert len(puts) > 1
    assert store.read("bakes/large") == data
    assert store._store().client_options["timeout"] in (REQUEST_TIME, "900s", "15m")


def test_names_say_nothing_of_credentials(server):
    server.fault = answers("400 Bad Request", "InvalidRequest", "No")
    store = open_store(f"s3://{BUCKET}/signature-moves")
    with pytest.raises(OSError, match="InvalidRequest") as caught:
        store.create("credential-access key/account must", b"")
    assert type(caught.value) is OSError


ASKED = {
    "s3": (
        "Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 1.3ms - Server "
        "returned non-2xx status code: 403 Forbidden: denied",
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ),
    "gs": (
        "Generic GCS error: Error performing token request: Error performing GET http://169.254.169.254/"
        "computeMetadata/v1/instance/service-accounts/default/token?audience=x in 12ms - 403 Forbidden",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ),
    "az": (
        "Generic MicrosoftAzure error: Account must be specified",
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    ),
}


@pytest.mark.parametrize("scheme", ASKED)
def test_who_has_no_credentials_is_told_which_to_set(scheme):
    from obstore.exceptions import GenericError

    said, variables = ASKED[scheme]
    with pytest.raises(PermissionError) as caught:
        open_store(f"{scheme.upper()}://bucket/bakes")._refuse(GenericError(said), "a")
    hint = f"there are no credentials for this store: set {variables} ("
    assert caught.value.strerror.startswith(f"{hint}Generic ")
    assert len(caught.value.strerror) < len(hint) + 100
    assert caught.value.filename == f"{scheme}://bucket/bakes"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_plain_http_on_this_machine_needs_no_leave(server, monkeypatch, host):
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.address.replace("127.0.0.1", host))
    store = open_store(f"s3://{BUCKET}/near")
    require_create(store)
    assert list(store.keys("")) == []


@pytest.mark.parametrize("refused", [("http://minio.invalid:9", None), ("http://127.0.0.1:9", "false")])
def test_plain_http_elsewhere_is_told_its_variable(server, monkeypatch, refused):
    endpoint, leave = refused
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    if leave is not None:
        monkeypatch.setenv("AWS_ALLOW_HTTP", leave)
    with pytest.raises(PermissionError, match="plain HTTP: set AWS_ALLOW_HTTP=true") as caught:
        open_store("s3://bucket/bakes").create("a", b"")
    assert caught.value.filename == "s3://bucket/bakes"


def test_a_server_that_replaces_instead_is_refused_by_name(server):
    server.fault = without_conditions
    store = open_store(f"s3://{BUCKET}/careless")
    with pytest.raises(ValueError, match=f"s3://{BUCKET}/careless replaces a key that exists"):
        require_create(store)
    assert list(store.keys("")) == []


def test_missing_credentials_are_said(server, monkeypatch):
    server.fault = answers("403 Forbidden", "AccessDenied", "Access Denied")
    with pytest.raises(PermissionError, match="not let in: set AWS_ACCESS_KEY_ID and AWS_SECRET") as caught:
        open_store(f"s3://{BUCKET}").create("a", b"")
    assert "\n" not in str(caught.value)
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(PermissionError, match=r"AZURE_STORAGE_ACCOUNT_NAME.*Account must be specified"):
        open_store("az://container").read("a")


def test_a_clock_that_differs_is_said(server):
    text = "The difference between the request time and the server's time is too large."
    server.fault = answers("403 Forbidden", "RequestTimeTooSkewed", text)
    with pytest.raises(PermissionError, match=r"and the clock; .*RequestTimeTooSkewed"):
        open_store(f"s3://{BUCKET}").write("a", b"")


def test_a_bucket_that_is_not_there_is_named(server):
    with pytest.raises(FileNotFoundError, match=r"bucket does not exist.*s3://none-of-this-name/a"):
        open_store("s3://none-of-this-name").write("a", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
def test_a_full_store_is_said(tmp_path):
    # A limit of the size of files: the system refuses what is beyond, as a full disk does.
    code = (
        "import resource, signal, sys; from lissom._store import open_store\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "store = open_store(sys.argv[1]); store.write('small', b'x')\n"
        "try: store.create('large', bytes(2000))\n"
        "except OSError as error: print(error.errno, error)\n"
        "print(sorted(store.keys('')))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "s"], capture_output=True, text=True, check=True
    )
    assert re.match(r"27 \[Errno 27\] File too large: '.*/s/large'\n\['small'\]\n", run.stdout), run.stdout


def test_memory_is_of_its_process():
    store = open_store("memory://own")
    store.write("a", b"1")
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        read = pool.submit(store.read, "a")
    with pytest.raises(ValueError, match="memory://own is of the process that opened it"):
        read.result()
