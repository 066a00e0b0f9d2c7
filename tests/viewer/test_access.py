# SPDX-License-Identifier: MIT
"""Who is answered: the token, Host, Origin, methods, and what every answer says."""

from email.message import Message

import pytest

from lissom._viewer import access as access_module
from lissom._viewer.access import Access
from viewer.asking import ask, connected, drop, origin, parsed, received, secret


def test_the_page_is_served_to_who_has_its_address(tube):
    answer = ask(tube)
    assert answer.status == 200
    assert answer.body.startswith(b"<!doctype html>")
    assert int(answer.headers["Content-Length"]) == len(answer.body)


def test_the_address_without_its_last_slash_leads_to_the_page(tube):
    def answer(path):
        with connected(tube) as connection:
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{tube.port}\r\nSec-Fetch-Site: cross-site\r\n\r\n"
            connection.sendall(head.encode())
            return parsed(received(connection))

    for path in (f"/{secret(tube)}", f"/{secret(tube)}?x=/"):
        led = answer(path)
        assert (led.status, led.headers["Location"], led.body) == (303, f"/{secret(tube)}/", b"")
    wrong = answer("/x")
    assert (wrong.status, wrong.headers.get("Location")) == (404, None)
    assert b"a viewer that has ended" in wrong.body


@pytest.mark.parametrize("path", ["", "files", "bundle/two_bone_tube", "changes/two_bone_tube"])
def test_a_wrong_token_is_told_nothing(tube, path):
    token, answers = secret(tube), set()
    for wrong in (
        "",
        "x",
        token[:-1],
        token + "x",
        token[:-1] + ("a" if token[-1] != "a" else "b"),
        "%00",
        "é",
    ):
        answer = ask(tube, path, token=wrong)
        assert answer.status == 404
        if path and (wrong or path != "files"):  # without a token that is "/files": a person's mistake
            assert answer.sentence == "there is nothing here"
        else:  # a person reads it
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
            assert b"a viewer that has ended" in answer.body
            assert token.encode() not in answer.body
            answers.add(answer.body)
    assert len(answers) == (path in ("", "files"))


def test_an_upload_bears_the_token(tube):
    headers = {"Origin": origin(tube), "Content-Length": "4"}
    assert ask(tube, "drop/x.glb", "POST", headers, b"glTF").is_fault
    assert ask(tube, "drop/x.glb", "POST", headers, b"glTF", token="x").status == 404


def test_the_token_is_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr(
        access_module.hmac, "compare_digest", lambda one, other: compared.append(1) or one == other
    )
    access = Access(1)
    assert access.is_token(access.token)
    assert not access.is_token("x")
    assert access.takes(access.once())
    assert len(compared) == 3


@pytest.mark.parametrize(
    "host",
    [None, "evil.example", "127.0.0.1", "evil.example:{port}", "127.0.0.1.evil:{port}", "[::1]:{port}"],
)
def test_another_host_is_refused(tube, host):
    """As a name of an attacker that leads to this machine would be: DNS rebinding."""
    answer = ask(tube, headers={"Host": host and host.format(port=tube.port)})
    assert answer.status == 403
    assert answer.sentence == "this server answers to requests for the loopback address alone"


def test_two_hosts_are_refused(tube):
    host = f"Host: 127.0.0.1:{tube.port}\r\n"
    with connected(tube) as connection:
        connection.sendall(f"GET /{secret(tube)}/ HTTP/1.1\r\n{host}{host}\r\n".encode())
        assert parsed(received(connection)).status == 403


def test_localhost_is_this_machine_too(tube):
    assert ask(tube, "files", headers={"Host": f"localhost:{tube.port}"}).status == 200


@pytest.mark.parametrize("port", [80, 8080])
def test_browsers_leave_out_the_port_of_http(port):
    access = Access(port)
    for host in ("127.0.0.1", "localhost"):
        headers = Message()
        headers["Host"] = host
        headers["Origin"] = f"http://{host}"
        assert (access.fault(headers, "POST", is_page=False) is None) == (port == 80)
        headers.replace_header("Host", f"{host}:{port}")
        headers.replace_header("Origin", f"http://{host}:{port}")
        assert access.fault(headers, "POST", is_page=False) is None


@pytest.mark.parametrize(
    "other", ["null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]
)
def test_another_origin_is_refused(tube, other):
    other = other.format(port=tube.port)
    for path in ("", "files", "bundle/two_bone_tube"):
        answer = ask(tube, path, headers={"Origin": other})
        assert (answer.status, answer.sentence) == (403, "another site may ask this server for nothing")
    assert drop(tube, "x.glb", b"glTF", {"Origin": other}).status == 403


def test_an_upload_says_where_it_comes_from(tube):
    answer = drop(tube, "x.glb", b"glTF", {"Origin": None})
    assert (answer.status, answer.sentence) == (403, "an upload must come from the page of this server")


def test_another_site_may_lead_here_and_no_further(tube):
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert ask(tube, headers=cross).status == 200
    assert ask(tube, "files", headers=cross).status == 403
    assert ask(tube, "files", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"])
def test_other_methods_are_refused(tube, method):
    answer = ask(tube, "files", method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, POST")


@pytest.mark.parametrize(
    "text",
    [
        "GET /{token}/\r\n\r\n",
        "GET /{token}/ HTTP/0.9\r\n\r\n",
        "GET /{token}/ HTTP/2.0\r\n\r\n",
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET /{token}/" + "x" * 70_000 + " HTTP/1.1\r\n\r\n",
        "GET /{token}/ HTTP/1.1\r\n" + "A: b\r\n" * 200 + "\r\n",
        "GET http://evil.example/{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    ],
)
def test_what_is_no_request_of_a_browser_is_not_served(tube, text):
    with connected(tube) as connection:
        connection.sendall(text.replace("{token}", secret(tube)).replace("{port}", str(tube.port)).encode())
        data = received(connection)
    assert b"<!doctype" not in data
    assert secret(tube).encode() not in data
    assert ask(tube, "files").status == 200


def test_every_answer_is_kept_nowhere_and_told_nobody(tube):
    answers = [ask(tube, path) for path in ("", "files", "x")]
    for answer in (*answers, ask(tube, "files", "PUT"), ask(tube, token="x")):
        headers = answer.headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "Server" not in headers
        assert "Access-Control-Allow-Origin" not in headers
    policy = ask(tube).headers["Content-Security-Policy"]
    assert "connect-src 'self'" in policy
    assert "script-src 'sha256-" in policy


def test_the_browser_is_started_with_an_address_that_opens_once(tube, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    assert tube.open()
    (url,) = opened
    assert secret(tube) not in url  # it can be read in the list of processes
    _, _, _, first, code = url.split("/")
    assert ask(tube, "x", token=first).status == 404  # a wrong guess does not spend it
    answer = ask(tube, code, token=first)
    assert (answer.status, answer.headers["Location"]) == (303, f"/{secret(tube)}/")
    again = ask(tube, code, token=first)
    assert again.status == 404
    assert "Location" not in again.headers


def test_the_address_for_the_browser_grows_old(monkeypatch):
    access = Access(1)
    code = access.once()
    monkeypatch.setattr(access_module, "OPEN_SECONDS", 0.0)
    assert not access.takes(access.once())
    assert not access.takes(code)
