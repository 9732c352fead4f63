"""Random affine programs: each summary agrees with the interpreter wherever the program is defined."""

from __future__ import annotations

import random

import pytest
from bench import generate
from tests.shared import sampled
from tests.summarize.plain import agrees
from tests.summarize.programs import summary_of

from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.text import functions
from tensorlift.languages.c import read_c


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("seed", [*range(sampled(20, 60)), 30081])
def test_a_random_program_is_summarised_as_it_computes(seed: int) -> None:
    read = read_c(generate.generate(seed), "f.c")[0]
    if read.module is None:
        pytest.skip("the front end refuses the program")
    function = functions(read.module)[0]
    summary = summary_of(function)
    rng, run = random.Random(seed), Interpreter(function)
    for number in range(3):
        agrees(run, summary, {size: rng.randint(3, 5) for size in summary.sizes}, number)
