"""Meanings found at sets of numbers: what fits, what agrees, and programs of convolutions, pools and clamps."""

from __future__ import annotations

import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.comprehension.evaluate import Evaluator, contains, content
from tests.dialects.tosa import PASSES, imported_tosa, instances_of, needs_tools, tosa_target
from tests.shared import is_exhaustive

from tensorlift.dialects.meanings import NoMeaning
from tensorlift.dialects.trials import SETS, extents_of
from tensorlift.dialects.ways import Pair, agreed
from tensorlift.dialects.windows import relation
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.affine import Affine
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.record import Level, Verdict
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tensorlift.comprehension.instance import Instance
    from tensorlift.record import FunctionRecord

_HEAD = (
    "for (int n = 0; n < b; n++) for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) for (int f = 0; f < o; f++)"
)
_CONVOLUTION = f"""void f(int b, int h, int w, int c, int kh, int kw, int o, float x[b][h + kh - 1][w + kw - 1][c],
    float k[o][kh][kw][c], float bias[o], float y[b][h][w][o]) {{
  {_HEAD} {{
    float s = bias[f];
    for (int p = 0; p < kh; p++) for (int q = 0; q < kw; q++) for (int r = 0; r < c; r++)
      s += x[n][i + p][j + q][r] * k[f][p][q][r];
    y[n][i][j][f] = s; }} }}
"""
_POOL = f"""void f(int b, int h, int w, int o, float x[b][2 * h][2 * w][o], float y[b][h][w][o]) {{
  {_HEAD} {{
    float m = -3.40282347e+38f;
    for (int p = 0; p < 2; p++) for (int q = 0; q < 2; q++)
      m = m > x[n][2 * i + p][2 * j + q][f] ? m : x[n][2 * i + p][2 * j + q][f];
    y[n][i][j][f] = m; }} }}
"""
_CLAMP = """void f(int n, float x[n], float y[n]) {
  for (int i = 0; i < n; i++) { float v = x[i] > 6 ? 6 : x[i]; y[i] = v > 0 ? v : 0; } }
"""
_DEPTHWISE = """void f(int b, int h, int w, int c, int kh, int kw, float x[b][h + kh - 1][w + kw - 1][c],
    float k[kh][kw][c], float bias[c], float y[b][h][w][c]) {
  for (int n = 0; n < b; n++) for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) for (int f = 0; f < c; f++) {
    float s = bias[f];
    for (int p = 0; p < kh; p++) for (int q = 0; q < kw; q++) s += x[n][i + p][j + q][f] * k[p][q][f];
    y[n][i][j][f] = s; } }
"""
_PADDED = """void f(int n, float x[n], float k[n + 2], float y[n + 2]) {
  for (int i = 0; i < n + 2; i++) y[i] = k[i] * (i > 0 && i < n + 1 ? x[i - 1] : 0);
}
"""
_AT_ONE_SET = ("tosa.pad", "tosa.depthwise_conv2d")  # those of many instances
_SAMPLED = (
    "tosa.conv2d", "tosa.depthwise_conv2d", "tosa.max_pool2d", "tosa.avg_pool2d", "tosa.clamp", "tosa.argmax",
    "tosa.concat", "tosa.pad", "tosa.resize",
)  # fmt: skip


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([a - b + 1 for a, b in ((9, 3), (20, 5), (31, 4))], (1, "h - k + 1")),
        ([(a - 2 * b) // 2 + 2 for a, b in ((10, 3), (20, 5), (32, 4))], None),
        ([4, 4, 5], None),
    ],
)
def test_an_extent_of_the_result_follows_from_others(result: list[int], expected: tuple[int, str] | None) -> None:
    found = relation(result, {"h": [9, 20, 31], "k": [3, 5, 4]})
    assert (found and (found[0], str(found[1]))) == expected


def test_an_extent_that_steps_pass_is_a_multiple_of_that_of_the_result() -> None:
    found = relation([5, 8, 14], {"h": [11, 20, 31], "k": [3, 6, 5]})
    assert found is not None
    assert (found[0], str(found[1])) == (2, "h - k + 2")


def test_sets_of_numbers_leave_a_remainder_and_differ() -> None:
    sets = [extents_of(number) for number in range(SETS)]
    assert all(extent % 6 == 1 for numbers in sets for extent in numbers)
    assert all(list(numbers) == sorted(set(numbers), reverse=True) for numbers in sets)
    places = list(zip(*sets, strict=True))
    differences = [[a - b for a, b in zip(p, q, strict=True)] for p in places for q in places if p > q]
    assert all(len(set(numbers)) == SETS for numbers in (*places, *differences[:40]))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("0 <= k <= 12", "0 <= k <= 18", "0 <= k <= n - 1"),
        ("x - 12 + k", "x - 18 + k", "x - n + 1 + k"),
        ("x + 12", "x + 18", "x + n - 1"),
        ("max(x, 11.375) + 2", "max(x, 23.375) + 2", "max(x, least) + 2"),
    ],
)
def test_numbers_that_differ_are_written_as_what_they_are(first: str, second: str, expected: str) -> None:
    names = {("11.375", "23.375"): "least"}
    assert agreed([first], [second], [Pair(13, 19, Affine.var("n"))], names) == [expected]


@pytest.mark.parametrize(
    ("first", "second"), [("x + 40", "x + 50"), ("13 * x", "19 * x"), ("a(x)", "b(x)"), ("x", "x + 1"), ("1.5", "2.5")]
)
def test_lowerings_that_differ_otherwise_have_no_meaning(first: str, second: str) -> None:
    with pytest.raises(NoMeaning, match="another one"):
        agreed({"text": first}, {"text": second}, [Pair(13, 19, Affine.var("n"))], {})


@needs_tools
def test_windows_may_step_and_may_have_cells_apart() -> None:
    instances = instances_of("conv2d")
    shapes = {tuple(map(str, (*i.operands[0].shape[1:2], *i.result.shape[1:2]))) for i in instances}
    assert shapes >= {
        ("input_d1", "input_d1 - weight_d1 + 1"),
        ("input_d1", "input_d1 - 2 * weight_d1 + 2"),
        ("2 * result_d1 + weight_d1 - 2", "result_d1"),
    }
    assert all(i.sampled for i in instances)


@needs_tools
def test_meanings_are_what_upstream_computes() -> None:
    """At extents as small as they may be, and at others, those alone where there are many instances."""
    samples = [
        (instance, sizes)
        for instance in imported_tosa().instances
        if instance.operation in _SAMPLED
        and "BILINEAR" not in instance.attributes  # its terms read others that are computed first
        and instance.operands[0].dtype in ("f32", "i32")[: 1 + _is_argmax(instance)]
        for sizes in _sizes(instance)[instance.operation in _AT_ONE_SET :]
    ]
    assert len({instance.operation for instance, _ in samples}) == len(_SAMPLED)
    tools = find_tools()
    assert tools is not None
    text = "".join(_function(f"f{k}", *sample) for k, sample in enumerate(samples))
    command = [tools.opt, f"--pass-pipeline=builtin.module({PASSES})"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    module = Module(done.stdout.replace("module {\n", "", 1).rpartition("}")[0])
    for k, (instance, sizes) in enumerate(samples):
        given = [
            _array(_seed(instance), o.name, _shape(o.shape, sizes), o.dtype)
            for o in instance.free
            if not o.is_attribute
        ]
        np.testing.assert_allclose(module.function(f"f{k}")(*given), _expected(instance, sizes), rtol=1e-4, atol=1e-4)


def _is_argmax(instance: Instance) -> bool:
    return instance.operation == "tosa.argmax"


def _sizes(instance: Instance) -> list[dict[str, int]]:
    """Return the least sizes that are allowed, and greater ones."""
    first = {name for extent in instance.operands[0].shape for name in extent.variables}
    least = next(
        sizes
        for m in (1, 2, 3)
        if contains(instance.context, sizes := dict.fromkeys(instance.sizes, 1) | dict.fromkeys(first, m))
    )
    return [least, {name: 4 if name in first else 2 for name in instance.sizes}]


def _seed(instance: Instance) -> int:
    """Return contents with which the attributes, a least and a greatest value, are in order."""
    values = {
        seed: [content(seed, o.name, (), o.dtype) for o in instance.operands if o.is_attribute] for seed in range(9)
    }
    return next(seed for seed, numbers in values.items() if numbers == sorted(numbers))


def _shape(shape: tuple[Affine, ...], sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(extent.evaluate(sizes) for extent in shape)


def _array(seed: int, name: str, shape: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    cells = [float(content(seed, name, index, dtype)) for index in np.ndindex(*shape)]  # type: ignore[arg-type]  # by name
    return np.array(cells, {"f32": np.float32, "i32": np.int32}[dtype]).reshape(shape)


def _function(name: str, instance: Instance, sizes: Mapping[str, int]) -> str:
    """Spell a function that applies an operation to tensors of numbers as extents."""
    operands: list[tuple[str, str]] = []
    parameters, lines = [], []
    for own in instance.operands:
        kind = f"tensor<{''.join(f'{e}x' for e in _shape(own.shape, sizes))}{own.dtype}>"
        if own.is_attribute:
            operands.append((str(float(content(_seed(instance), own.name, (), own.dtype))), own.dtype))
            continue
        operands.append((f"%{own.name}", kind))
        if own.value is None:
            parameters.append(f"%{own.name}: {kind}")
        else:
            lines.append(f"  %{own.name} = arith.constant dense<0.0> : {kind}\n")
    lines += [f"  %{own.name} = {own.text}\n" for own in instance.lists]
    lists = [f"%{own.name}" for own in instance.lists]
    result = f"tensor<{''.join(f'{e}x' for e in _shape(instance.result.shape, sizes))}{instance.result.dtype}>"
    named = f"%result:{instance.others + 1}"
    body = f"{''.join(lines)}  {named} = {instance.text(operands, result, lists)}\n"
    body += f"  return %result#{instance.place} : {result}\n"
    return f"func.func @{name}({', '.join(parameters)}) -> {result} {{\n{body}}}\n"


def _expected(instance: Instance, sizes: Mapping[str, int]) -> npt.NDArray[Any]:
    evaluator, result = Evaluator(_seed(instance)), instance.result
    shape = _shape(result.shape, sizes)
    points = ({**sizes, **dict(zip(result.indices, index, strict=True))} for index in np.ndindex(*shape))
    cells = [
        float(evaluator.value(next(term for domain, term in result.pieces if contains(domain, point)), point))
        for point in points
    ]
    return np.array(cells).reshape(shape)


@cache
def _lifted(text: str, engine: str) -> FunctionRecord:
    (record,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=tosa_target(), engine=engine)).functions
    assert (record.verdict, record.level) == (Verdict.LOOP_FREE, Level.PROVED), record.diagnostics
    return record


@pytest.mark.in_turns(2)
@needs_tools
@pytest.mark.parametrize(
    ("text", "operation", "engine"),
    [
        (_CONVOLUTION, "conv2d", "sketch"),
        (_POOL, "max_pool2d", "enumerate"),
        (_CLAMP, "clamp", "sketch"),
        (_DEPTHWISE, "depthwise_conv2d", "derive"),
    ]
    + [(_CONVOLUTION, "conv2d", "enumerate"), (_DEPTHWISE, "depthwise_conv2d", "enumerate")] * is_exhaustive(),
)
def test_a_kernel_is_one_operation(text: str, operation: str, engine: str) -> None:
    record = _lifted(text, engine)
    assert record.program.count('"tosa.') == record.program.count(f'"tosa.{operation}"') == 1


@needs_tools
def test_a_list_of_integers_is_given_by_an_operation_of_the_dialect() -> None:
    record = _lifted(_PADDED, "enumerate")
    assert '"tosa.const_shape"() <{values = dense<[1, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>' in record.program
    assert '"tosa.pad"(%x, %' in record.program
    tools = find_tools()
    assert tools is not None
    command = [tools.opt, f"--pass-pipeline=builtin.module({PASSES})"]
    done = subprocess.run(command, input=record.program, capture_output=True, text=True, check=True)
    run = Module(done.stdout.replace("module {\n", "", 1).rpartition("}")[0]).function("f")
    x, k = np.arange(1, 5, dtype=np.float32), np.arange(2, 8, dtype=np.float32)
    np.testing.assert_array_equal(run(x, k), np.pad(x, 1) * k)


@needs_tools
def test_an_extent_may_have_to_be_one() -> None:
    shapes = {tuple(map(str, i.operands[1].shape)) for i in instances_of("depthwise_conv2d")}
    assert shapes >= {("weight_d0", "weight_d1", "input_d3", "1"), ("weight_d0", "weight_d1", "1", "weight_d3")}


@needs_tools
def test_an_operand_that_may_be_repeated_is_there_twice() -> None:
    instances = [i for i in instances_of("concat") if i.operands[0].dtype == "f32"]
    assert [(len(i.result.shape), i.attributes) for i in instances if not i.sampled] == [(1, "{axis = 0 : i32}")]
    found = {(i.attributes, tuple(map(str, i.result.shape))) for i in instances if len(i.result.shape) == 2}
    assert found == {
        ("{axis = 0 : i32}", ("input1a_d0 + input1b_d0", "input1a_d1")),
        ("{axis = 1 : i32}", ("input1a_d0", "input1a_d1 + input1b_d1")),
    }


@needs_tools
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (_CLAMP, "max_val = 6.0", "max_val = 7.0"),
        (_CLAMP, "max_val = 6.0 : f32", "max_val = 6 : i32"),
        (_CLAMP, "min_val = 0.0 : f32, ", ""),
        (_POOL, "stride = array<i64: 2, 2>", "stride = array<i64: 1, 1>"),
        (_POOL, "kernel = array<i64: 2, 2>", "kernel = array<i64: 3, 3>"),
        (_PADDED, "dense<[1, 1]>", "dense<[2, 2]>"),
        (_PADDED, "dense<[1, 1]>", "dense<[0, 2]>"),
        (_PADDED, "values =", "others ="),
        (_PADDED, '"tosa.const_shape"()', '"tosa.const"()'),
        (_PADDED, "!tosa.shape<2>", "!tosa.shape<3>"),
        (_PADDED, "!tosa.shape<2>", "tensor<2xindex>"),
    ],
)
def test_a_program_with_other_attributes_is_refused(text: str, old: str, new: str) -> None:
    record = _lifted(text, "enumerate")
    certificate = certificate_from_json(record.certificate or {})
    assert old in certificate.program
    wrong = certificate.program.replace(old, new)
    with pytest.raises(CheckFailure):
        check(wrong, certificate.entry, certificate.summary, get_target(tosa_target()), certificate.cuts)
