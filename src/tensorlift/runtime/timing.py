"""Takes samples of how long calls take, in turns, so that what else the machine does meets all contenders alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Clock = Callable[[], float]

_BLOCK = 1e-3  # seconds of calls that make one sample
_MOST_CALLS = 200  # in a sample


def take_samples(
    contenders: Sequence[tuple[str, Clock]], rounds: int, seconds: float, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Call each contender, which gives the seconds of one call, in turns: some rounds, for about ``seconds``.

    A sample is the mean of calls in a row that take a few milliseconds together, after one that does not count where
    it is short: what ran before it left other data in the caches, and threads asleep.  There is at least one for each
    time that a contender is listed, and in each round as many as that.
    """
    samples: dict[str, list[float]] = {name: [] for name, _ in contenders}
    end = clock() + seconds
    for _ in range(rounds):
        began = clock()
        for name, call in contenders:
            samples[name].append(_sample(call))
        if clock() + (clock() - began) > end:
            break
    return samples


def _sample(call: Clock) -> float:
    first = call()
    if first >= _BLOCK:
        return first
    total, calls = 0.0, 0
    while total < _BLOCK and calls < _MOST_CALLS:
        total += call()
        calls += 1
    return total / calls
