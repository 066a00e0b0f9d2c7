# SPDX-License-Identifier: MIT
"""A widget in a page without Jupyter: a model in JavaScript that hands what is sent to this process."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

# What anywidget's render gets, as far as the playground uses it. Answers come one message after the other.
MODEL = """
async ({ module, css, traits, bundle, id }) => {
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const bytes = (text) => {
    const whole = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new DataView(whole.buffer);
  };
  const listeners = new Set();
  const values = { ...traits, bundle: bytes(bundle) };
  const text = (buffer) =>
    btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""));
  const ask = async (content, sent) => {
    for (const [answer, buffers] of await window.kernel(content, sent.map(text)))
      for (const callback of listeners) callback(answer, buffers.map(bytes));
  };
  const model = {
    get: (name) => values[name],
    on: (name, callback) => listeners.add(callback),
    off: (name, callback) => listeners.delete(callback),
    send: (content, callbacks, buffers = []) => {
      window.sent.push(content);
      window.callbacks.push(callbacks);
      ask(content, buffers);
    },
  };
  window.sent = [];
  window.callbacks = [];
  window.listenerCount = () => listeners.size;
  window.deliver = (answer, buffers) => listeners.forEach((callback) => callback(answer, buffers));
  const el = document.createElement("div");
  el.id = id;
  document.body.append(el);
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  window.cleanUp = await (await import(address)).default.render({ model, el });
}
"""


# What answers in each tab now: a function that was exposed once stays for all pages of a tab.
_kernels: WeakKeyDictionary[Any, Callable[[Any, list[str]], list[Any]]] = WeakKeyDictionary()


def show_in(page: Any, widget: Any, *, identifier: str = "widget") -> None:
    """Show a widget in a page of playwright's, and have it answer there until another is shown."""
    said: list[Any] = []
    widget.send = lambda content, buffers=(): said.append(
        [content, [base64.b64encode(buffer).decode() for buffer in buffers]]
    )

    def kernel(content: Any, buffers: list[str]) -> list[Any]:
        widget._listen(widget, content, [memoryview(base64.b64decode(one)) for one in buffers])
        answers = said.copy()
        said.clear()
        return answers

    if page not in _kernels:
        page.expose_function("kernel", lambda content, buffers: _kernels[page](content, buffers))
    _kernels[page] = kernel
    page.evaluate(
        MODEL,
        {
            "module": widget._esm,
            "css": widget._css,
            "traits": {"solvers": getattr(widget, "solvers", []), "options": widget.options},
            "bundle": base64.b64encode(getattr(widget, "bundle", b"")).decode(),
            "id": identifier,
        },
    )
