"""Literal IR runs as the compiled C function does, bit by bit, wherever C gives an input a meaning.

The corpora are sampled; with ``--exhaustive`` all of their functions are run.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bench.literal import files, read, run
from tests.shared import sampled

CONSTRUCTS = Path(__file__).parent / "constructs.c"
STRUCTURES = Path(__file__).parent / "structures.c"
_EVERY = sampled(16, 1)  # files of the corpora
_UNCALLABLE = {"greatest"}  # returns a pointer; it is called by another function
_ALWAYS_UNDEFINED = {"uninitialised_sum"}

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")


@needs_compiler
def test_each_construct_runs_as_compiled() -> None:
    subjects = read([CONSTRUCTS], old=False).subjects
    run(subjects)
    names = {s.function.name for s in subjects} - _UNCALLABLE
    assert {s.function.name: s.result for s in subjects if s.result not in {"equal", ""}} == {}
    assert {s.function.name for s in subjects if s.ran} == names


@needs_compiler
def test_structures_run_as_compiled() -> None:
    subjects = read([STRUCTURES]).subjects
    run(subjects)
    returning = {"times", "plus", "cut"}  # structures, which only what calls them can use
    results = {s.function.name: s.result for s in subjects if s.function.name not in returning}
    assert results == dict.fromkeys(results, "equal")


@needs_compiler
def test_functions_of_the_corpora_run_as_compiled() -> None:
    subjects = read(files()[::_EVERY]).subjects
    run(subjects)
    wrong = {str(s.path): s.result for s in subjects if s.result not in {"equal", ""}}
    assert {path for path in wrong if Path(path).stem not in _ALWAYS_UNDEFINED} == set()
    literal = [s for s in subjects if s.function.operation is not None]
    assert sum(s.ran > 0 for s in literal) >= 0.98 * len(literal)
    assert len(literal) >= 0.9 * len(subjects)
