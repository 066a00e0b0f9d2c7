# SPDX-License-Identifier: MIT
"""A subinterpreter refuses lissom; before Python 3.12 the import of its extension would never return."""

import subprocess
import sys

SUBINTERPRETER = """
try:
    import _xxsubinterpreters as interpreters  # until 3.12
except ImportError:
    import _interpreters as interpreters
import lissom  # which the main one may have in use

code = '''
try:
    import lissom
except ImportError as error:
    print(error, flush=True)
'''
interpreters.run_string(interpreters.create(), code)
"""


def test_a_subinterpreter_refuses_lissom() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, check=True, timeout=60
    )
    assert "not support" in run.stdout
    assert "subinterpreters" in run.stdout
