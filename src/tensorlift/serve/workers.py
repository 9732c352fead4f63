"""Processes that lift, kept between requests: one that takes too long or crashes is ended and replaced."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping

_MOST_REPLY = 64 << 20  # bytes
_SHORTER = "give less of it, or choose another engine"


class Workers:
    """So many processes; a request waits for one that is free."""

    def __init__(self, count: int, flags: Mapping[str, Any], remedy: str = _SHORTER) -> None:
        """Take the flags that sources are read with, and what helps where time is up; `start` starts the processes."""
        self._remedy = remedy
        self._count, self._flags = count, json.dumps(flags)
        self._free: asyncio.LifoQueue[Process] = asyncio.LifoQueue()
        self._all: set[Process] = set()

    async def start(self) -> None:
        """Start the processes."""
        for _ in range(self._count):
            self._free.put_nowait(await self._started())

    async def stop(self) -> None:
        """End the processes, with all that they started."""
        for process in list(self._all):
            await self._end(process)

    async def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Have a request answered.

        Raises:
            LiftError: TL660, where that takes longer than it may, or ends the process.

        """
        process = await self._free.get()
        try:
            if process not in self._all:  # whoever waited for it was stopped while it was replaced
                process = await self._started()
            async with asyncio.timeout(seconds):
                found = await self._answered(process, request)
        except BaseException as error:
            await self._end(process)
            process = await self._started()
            if isinstance(error, TimeoutError):
                message = f"this takes longer than {seconds:g} s"
                raise refuse("TL660", message, remedy=self._remedy) from None
            if isinstance(error, ValueError | OSError):
                message = "the process that lifts was ended by this source"
                raise refuse("TL660", message, remedy="give less of it, and report it as a defect") from None
            raise
        finally:
            self._free.put_nowait(process)
        return found

    async def _answered(self, process: Process, request: Mapping[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        await process.stdin.drain()
        found: dict[str, Any] = json.loads(await process.stdout.readline())  # nothing, where it has ended
        return found

    async def _started(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tensorlift.serve.worker", self._flags),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MOST_REPLY,
            start_new_session=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        self._all.add(process)
        return process

    def kill(self) -> None:
        """End the processes, with all that they started, where nobody waits any more."""
        for process in self._all:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    async def _end(self, process: Process) -> None:
        self._all.discard(process)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
