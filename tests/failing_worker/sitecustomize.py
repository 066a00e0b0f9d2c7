# SPDX-License-Identifier: MIT
"""On PYTHONPATH, it makes the child process of `bake_many` fail by the name of the file it bakes."""

import os
import signal
import sys
import threading

if "lissom._jobs.worker" in sys.orig_argv:
    from lissom._formats import atomic
    from lissom._jobs import bake_work

    bake_to = bake_work.bake_to

    def failing(job, target, progress=None):
        kind = os.path.basename(job.source).partition("_")[0]
        if kind in ("SIGSEGV", "SIGKILL"):
            os.kill(os.getpid(), getattr(signal, kind))
        if kind == "exit":
            os._exit(7)
        if kind == "idle":  # as one that ended just before it was asked
            os.rename(job.source, os.path.join(os.path.dirname(job.source), "woken.glb"))
            os._exit(0)
        if kind == "hang":
            open(f"{job.source}.hangs", "wb").close()  # so that a test sees that it has come here
            threading.Event().wait()
        if kind == "memory":
            raise MemoryError
        if kind == "disk":
            raise OSError(28, os.strerror(28), os.fspath(target))
        if kind == "fault":
            raise RuntimeError("a wheel\nis missing")
        result = bake_to(job, target, progress)
        if kind == "partial":
            host = atomic._host()
            target.with_name(f".{target.name}.{os.getpid()}.{host}.token.part").touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "touch":
            os.utime(job.source)
        print("chatter on standard output")
        return result

    bake_work.bake_to = failing
