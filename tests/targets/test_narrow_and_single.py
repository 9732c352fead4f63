"""Narrow stores of index arithmetic, and constants in single precision: programs agree with their sources."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.record import FunctionRecord

INDEX_EXPRESSIONS = [
    "2*i % 100", "i*1003 % 100", "i*100003 % 120", "i*3 // 8", "(n-i) % 7", "i*5 >> 4 & 63", "(i+3) & 12",
    "i % 3 * 50", "i // 3 % 5", "(2*i+1) // 2 % 100", "i*i % 7", "i % 7 // 2", "(i-150) % 11", "(i ^ 5) % 100",
]  # fmt: skip
NARROW = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "int32": "int", "float32": "float"}
COUNT = 300


def narrow_in_python(dtype: str) -> str:
    function = """def f{k}(n: int):
    y = np.zeros(n, dtype=np.{dtype})
    for i in range(n):
        y[i] = {expression}
    return y
"""
    texts = [function.format(k=k, dtype=dtype, expression=text) for k, text in enumerate(INDEX_EXPRESSIONS)]
    return "import numpy as np\n" + "".join(texts)


def program_of(function: FunctionRecord) -> Any:
    assert function.lifted, (function.name, function.diagnostics)
    names: dict[str, Any] = {}
    exec(function.program, names)
    return names[function.name]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("dtype", NARROW)
def test_what_a_narrow_type_holds_is_computed_in_a_wide_one_in_python(dtype: str) -> None:
    text = narrow_in_python(dtype)
    names: dict[str, Any] = {}
    exec(text, names)
    for function in lift_source(source_from_text(text, "f.py"), LiftOptions()).functions:
        result = program_of(function)(COUNT)
        np.testing.assert_array_equal(result, names[function.name](COUNT), function.program)
        assert result.dtype == dtype


@pytest.mark.in_turns(4)
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_what_a_narrow_type_holds_is_computed_in_a_wide_one_in_c(tmp_path: Path, target: str) -> None:
    if target != "numpy":
        pytest.importorskip(target)
    cases = [
        (dtype, ctype, expression.replace("//", "/"))
        for dtype, ctype in NARROW.items()
        for expression in INDEX_EXPRESSIONS[:: 1 if target == "numpy" else 4]
    ]
    text = "".join(
        f"void f{k}(int n, {ctype} *y) {{ for (int i = 0; i < n; i++) y[i] = {expression}; }}\n"
        for k, (_, ctype, expression) in enumerate(cases)
    )
    library = compiled(text, tmp_path)
    functions = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    for k, (function, (dtype, _, _)) in enumerate(zip(functions, cases, strict=True)):
        expected = np.zeros(COUNT, dtype)
        getattr(library, f"f{k}")(COUNT, ctypes.c_void_p(expected.ctypes.data))
        taken = [{"n": COUNT, "y": np.zeros(COUNT, dtype)}[p.name] for p in function.parameters]
        np.testing.assert_array_equal(np.asarray(program_of(function)(*taken)), expected, function.program)


SINGLE = {
    "third of a double": "FOR o[i] = a[i]*(1.0f/3);",
    "under a condition": "FOR o[i] = a[i] > 0.1f ? a[i]*(2/3.0f) : 0.1f;",
    "a constant variable": "float h = 1.0f/7; FOR o[i] = a[i]*h;",
    "a product of constants": "FOR o[i] = a[i] + 0.1f*0.1f*3;",
    "steps": "FOR o[i] = 0.1f*i + a[i];",
    "steps from one": "FOR o[i] = 0.1f*(i + 1);",
    "steps by a size": "float h = 1.0f/n; FOR o[i] = i*h;",
    "rounded and squared": "FOR { float t = a[i]; o[i] = t*t; }",
    "doubles added up": "float s = 0; FOR { s += a[i]; o[i] = s; }",
    "doubles multiplied": "float s = 1; FOR { s *= 1 + 0.001*a[i]; o[i] = s; }",
    "doubles folded": "o[0] = 0.1f/3; FOR o[i] = (1.0/49*49 == 1.0) + a[i];",
}  # fmt: skip


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    command = ["cc", "-shared", "-fPIC", "-O1", "-ffp-contract=off", "-x", "c", "-", "-o", str(folder / "original.so")]
    subprocess.run(command, input=text, text=True, check=True)
    return ctypes.CDLL(str(folder / "original.so"))


@pytest.mark.in_turns(3)
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_single_precision_is_rounded_where_the_source_rounds(tmp_path: Path, target: str) -> None:
    """A double shows it in the seventh digit; NumPy's reals of double precision agree to the fifteenth."""
    if target != "numpy":
        pytest.importorskip(target)
    loop = "for (int i = 0; i < n; i++)"
    text = "\n".join(
        f"void f{k}(int n, const double *a, double *o) {{ {body.replace('FOR', loop)} }}"
        for k, body in enumerate(SINGLE.values())
    )
    library = compiled(text, tmp_path)
    given = np.linspace(0.1, 2.3, 40)
    functions = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    for k, (function, name) in enumerate(zip(functions, SINGLE, strict=True)):
        expected = np.zeros_like(given)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (given, expected)]
        getattr(library, f"f{k}")(len(given), *pointers)
        taken = {"n": len(given), "a": given, "o": np.zeros_like(given)}
        arguments = [taken[p.name] for p in function.parameters]
        if target == "torch":
            import torch  # noqa: PLC0415 - only where it is asked for

            arguments = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        elif target == "jax":
            import jax.numpy as jnp  # noqa: PLC0415 - only where it is asked for

            arguments = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        result = np.asarray(program_of(function)(*arguments))
        allowed = 1e-6 if name in {"doubles added up", "doubles multiplied"} else 3e-15  # which are rounded once
        np.testing.assert_allclose(result, expected, rtol=allowed, err_msg=f"{name}\n{function.program}")


EXTREMES = {
    "bound": "o[i] = a[i] > -LARGEST ? a[i] : -LARGEST;",
    "bound from above": "o[i] = a[i] < LARGEST ? a[i] : LARGEST;",
    "fill": "o[i] = LARGEST;",
    "selection": "o[i] = a[i] > 0 ? LARGEST : a[i];",
    "comparison": "o[i] = a[i] < LARGEST;",
    "fold": "o[i] = -LARGEST; for (int j = 0; j < i; j++) if (a[j] > o[i]) o[i] = a[j];",
    "padding": "float m = -LARGEST; if (i > 0 && a[i - 1] > m) m = a[i - 1]; if (a[i] > m) m = a[i]; o[i] = m;",
    "one cell": "o[i] = a[i]; if (i == 0) o[i] = LARGEST;",
    "sum": "o[i] = a[i] + LARGEST;",
}


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("number", ["float", "double"])
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
@pytest.mark.usefixtures("wide")
def test_the_largest_number_of_a_type_is_spelled_as_one_that_it_holds(tmp_path: Path, target: str, number: str) -> None:
    """PyTorch raises where a number lies beyond the largest of a type, even if it would be rounded to it."""
    library = pytest.importorskip({"jax": "jax.numpy"}.get(target, target))
    largest = {"float": "FLT_MAX", "double": "DBL_MAX"}[number]
    text = "#include <float.h>\n" + "\n".join(
        f"void f{k}(int n, const {number} *a, {number} *o) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
        for k, body in enumerate(EXTREMES.values())
    ).replace("LARGEST", largest)
    compiled_originals = compiled(text, tmp_path)
    given = np.linspace(-1, 1, 8, dtype={"float": np.float32, "double": np.float64}[number])
    functions = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    for k, (function, name) in enumerate(zip(functions, EXTREMES, strict=True)):
        expected = np.zeros_like(given)
        getattr(compiled_originals, f"f{k}")(len(given), *(ctypes.c_void_p(x.ctypes.data) for x in (given, expected)))
        taken = {"n": len(given), "a": library.asarray(given), "o": library.asarray(np.zeros_like(given))}
        result = np.asarray(program_of(function)(*(taken[p.name] for p in function.parameters)))
        np.testing.assert_array_equal(result, expected, f"{name}\n{function.program}")


PYTHON_SINGLE = """
import numpy as np

def f0(a):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        y[i] = a[i] * np.float32(0.1)
    return y

def f1(a):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        y[i] = a[i] * (np.float32(1.0) / np.float32(3.0))
    return y

def f2(a):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        y[i] = a[i] + np.float32(0.1) * np.float32(i)
    return y

def f3(a):
    s = np.float32(0)
    for i in range(a.shape[0]):
        s = np.float32(s + a[i])
    return s
"""


def test_single_precision_is_rounded_where_python_rounds() -> None:
    given = np.linspace(0.1, 2.3, 40)
    names: dict[str, Any] = {}
    exec(PYTHON_SINGLE, names)
    for function in lift_source(source_from_text(PYTHON_SINGLE, "f.py"), LiftOptions()).functions:
        allowed = 1e-6 if function.name == "f3" else 3e-15  # doubles that are added up are rounded once
        np.testing.assert_allclose(program_of(function)(given), names[function.name](given), rtol=allowed)


TWO_KINDS = {
    "`prev` holds a number of type int64": """
    prev = 0.0
    for i in range(n):
        y[i] = x[i] - prev
        prev = x[i]""",
    "`low` holds a number of type int64": """
    low = float("inf")
    for v in x:
        if v < low:
            low = v
    y[0] = low""",
    "a choice between numbers of the types int64 and float64": """
    for i in range(n):
        y[i] = (x[i] if x[i] > 0 else 0.5) + x[0]""",
}


@pytest.mark.parametrize("message", TWO_KINDS)
def test_a_variable_that_is_an_integer_here_and_a_float_there_is_refused(message: str) -> None:
    text = f"import numpy as np\ndef f(x: 'int64[:]', y):\n    n = x.shape[0]{TWO_KINDS[message]}\n"
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert function.diagnostics[0].code == "TL188"
    assert message in function.diagnostics[0].message


@pytest.mark.parametrize(("number", "limit"), [("float", 2**24), ("double", 2**53)])
def test_integers_added_up_in_floats_must_be_held_exactly(number: str, limit: int) -> None:
    text = f"int f(int n, const int *a) {{ {number} s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert [p.text for p in function.preconditions if p.kind == "exact"] == [
        f"what is added up in s stays within {limit}"
    ]
    few = text.replace("int *a", "unsigned char *a").replace("i < n", "i < 9")
    (function,) = lift_source(source_from_text(few, "f.c"), LiftOptions()).functions
    assert not [p for p in function.preconditions if p.kind == "exact"]


UNSIGNED = """
void f1(unsigned long n, unsigned long first, float *o) {
  for (unsigned long i = first; i < first + n; i++) o[i - first] = (i >> 1) - (-3);
}
void f2(unsigned n, int *o, const int *x) { for (unsigned i = 1; i < n; i++) o[i] = x[i + (-1)]; }
void f3(unsigned n, int *o, const int *x) { for (unsigned i = 0; i < n; i++) o[i] = x[i - (-2)]; }
void f4(unsigned n, unsigned *o) { for (unsigned i = 0; i < n; i++) o[i] = i - (-1); }
void f5(unsigned n, unsigned *o) { for (unsigned i = 0; i < n; i++) o[i] = i + 2654435769u; }
void f6(unsigned n, unsigned *o) { for (unsigned i = 0; i < n; i++) o[i] = i + 4294967295u; }
void f7(unsigned long n, unsigned long *o) { for (unsigned long i = 0; i < n; i++) o[i] = (i + ~0UL) * 2; }
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_a_constant_that_is_negative_in_an_unsigned_type_is_added_as_such() -> None:
    options = LiftOptions(test=True)
    for function in lift_source(source_from_text(UNSIGNED, "unsigned.c"), options).functions:
        assert function.lifted, function.diagnostics
        assert [trial.passed for trial in function.tests] == [True, True]
        assert not function.restricted


@pytest.mark.parametrize("value", ["-3.0 + (0.0 if x[i] and 0.0 != 0 else 0.0)", "(x[i] != 0 and 0.0 != 0) - 3.0"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint64"])
def test_a_constant_that_its_type_does_not_hold_raises_nothing_for_no_cells(value: str, dtype: str) -> None:
    text = f'def f(n: int, y: "{dtype}[:]", x: "bool[:]"):\n    for i in range(n):\n        y[i] = {value}\n'
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert not [d for d in function.diagnostics if d.code == "TL901"]


def test_what_is_only_defined_under_a_condition_is_only_converted_there_in_c() -> None:
    text = """import numpy as np

def f(n: int, u: "uint32[:]", o: "uint32[:]"):
    y = np.zeros(n, dtype=np.float64)
    for i in range(n):
        if np.uint32(7) <= u[i]:
            y[i] = 256.0 * np.uint16(i / np.int8(-4))
    for i in range(n):
        o[i] = u[i] * np.float32(0.1)
    return y
"""
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions((), "c")).functions
    assert function.lifted, function.diagnostics
    assert [trial.passed for trial in function.tests] == [True]
