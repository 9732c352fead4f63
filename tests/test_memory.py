"""A process that lifts many functions keeps nothing of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.shared import sampled

_SCRIPT = """
import gc, os, pathlib, sys
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

text = '''
void mean(int n, int m, float a[n][m], float out[n]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++) sum += a[i][j];
    out[i] = sum / m;
  }
}
'''
for _ in range(3):
    for _ in range(int(sys.argv[1])):
        lift_source(source_from_text(text, "mean.c"), LiftOptions())
    gc.collect()  # what refers to itself waits for that
    print(int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells how much memory a process has now")
def test_lifting_a_function_once_more_takes_no_more_memory() -> None:
    """That is asked of a process which does nothing else: one that runs tests grows and shrinks by itself."""
    command = [sys.executable, "-c", _SCRIPT, str(sampled(30, 60))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    taken = [int(line) for line in done.stdout.split()]
    assert taken[2] - taken[1] < sampled(128, 256) << 10, taken
