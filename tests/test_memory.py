"""A process that lifts many functions keeps nothing of them."""

from __future__ import annotations

import gc
import os
from itertools import pairwise
from pathlib import Path

import pytest
from tests.shared import sampled

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

_TEXT = """
void mean(int n, int m, float a[n][m], float out[n]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++) sum += a[i][j];
    out[i] = sum / m;
  }
}
"""


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells how much memory a process has now")
def test_lifting_a_function_once_more_takes_no_more_memory() -> None:
    taken = []
    for _ in range(5):
        for _ in range(sampled(18, 60)):
            lift_source(source_from_text(_TEXT, "mean.c"), LiftOptions())
        gc.collect()  # what refers to itself waits for that
        taken.append(_resident())
    grown = [later - earlier for earlier, later in pairwise(taken[1:])]
    assert min(grown) < sampled(72, 256) << 10, taken  # what is kept is more each time; what waits for others is not
