"""What the Python front end refuses: one row for each reason, with its code, its wording and the edit that helps.

What is refused where literal IR is executed, of loops, subscripts and shapes, is worded by the table of C; the remedies
are spelled for Python here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.refusals import REFUSALS as SHARED
from tensorlift.refusals import Refusal
from tensorlift.refusals import refusal as shared_refusal

if TYPE_CHECKING:
    from tensorlift.diagnostics import Diagnostic

REFUSALS: dict[str, Refusal] = {
    "parse": Refusal(
        "TL165", "the source is not valid Python: {detail}", "correct the line, so that Python accepts it"
    ),
    "statement": Refusal("TL166", "`{detail}` is not lifted", "keep to `for`, `if`, assignments and `return`"),
    "inner": Refusal(
        "TL166",
        "the inner function `{detail}` is used otherwise than by calls, changes outer variables, or calls itself",
        "define it beside the outer function, and pass what it reads",
    ),
    "literally": Refusal("TL166", "{detail} is not read literally", "write it with plainer operations"),
    "walrus": Refusal(
        "TL167",
        "`{detail}` assigns in a part of an expression that not every run evaluates",
        "assign in a statement of its own",
    ),
    "walrus-array": Refusal("TL167", "`{detail}` names an array", "assign in a statement of its own"),
    "ends-early": Refusal(
        "TL168", "`while` ends where data say", "go over all values with `for`, and put the body under a condition"
    ),
    "jump": Refusal("TL168", "`{detail}` leaves the loop body early", "put the rest of the body under a condition"),
    "iterable": Refusal(
        "TL169",
        "a `for` loop over {detail} is not lifted",
        "loop over `range`, an array, `enumerate`, `zip` or `reversed`",
    ),
    "step": Refusal("TL170", "the step of this range is {detail}", "step by an integer constant other than zero"),
    "unbound": Refusal("TL172", "`{detail}` may have no value here", "assign `{detail}` before, on every path"),
    "inside": Refusal(
        "TL172",
        "the array `{detail}` is bound in a block that has ended",
        "make it before, as in `{detail} = np.zeros(n)`, and store into it there, as in `{detail}[:] = x`",
    ),
    "comprehension": Refusal("TL173", "{detail} is not lifted", "write a loop that stores into an array"),
    "append": Refusal(
        "TL173",
        "`{detail}` is no list that is empty before a loop and gets one item in each of its iterations",
        "make an array of its length before the loop, and store into it",
    ),
    "call": Refusal(
        "TL174",
        "the function `{detail}` is not known",
        "define it in this file, or use functions that docs/python.md lists",
    ),
    "sorts": Refusal(
        "TL174", "`{detail}` sorts, which is not lifted", "compute it before the call, and pass it as a parameter"
    ),
    "sorted": Refusal(
        "TL174",
        "`{detail}` of an array that may not be sorted is not lifted",
        "count what lies below, as in `(edges < x[:, None]).sum(axis=1)`",
    ),
    "interp": Refusal(
        "TL174",
        "`{detail}` between places that may not be sorted is not lifted",
        "find the place before, as in `j = (xp[1:-1] <= x[:, None]).sum(axis=1)`, and compute from `xp[j]` and `fp[j]`",
    ),
    "recursion": Refusal("TL174", "the function `{detail}` calls itself", "write the recursion as a loop"),
    "literal": Refusal("TL175", "{detail} is not lifted", "use numbers and arrays"),
    "large": Refusal(
        "TL175", "the integer {detail} does not fit into 64 bits with a sign", "write `np.uint64({detail})`"
    ),
    "not-a-number": Refusal(
        "TL175",
        "NaN that the source writes may reach `{detail}`, and NaN has no order",
        "use a number in its place: the first element, zero, or `np.inf`",
    ),
    "index": Refusal("TL176", "{detail}", "index by integers, or by slices with a constant step above zero"),
    "index-array": Refusal(
        "TL176", "the index `{detail}` is no integer", "index by integers, slices, or arrays of integers"
    ),
    "places": Refusal("TL176", "{detail} is not lifted", "write a loop over the elements"),
    "mask": Refusal(
        "TL176",
        "how many elements the mask `{detail}` takes depends on data",
        "keep the shape, as in `np.where(x > 0, x, 0)`",
    ),
    "rank": Refusal("TL177", "{detail}", "give one index for each dimension of the array"),
    "extents": Refusal("TL178", "{detail}", "let sizes and loop variables say how long an array is"),
    "shape": Refusal("TL178", "the shapes do not fit: {detail}", "give the operands equal shapes"),
    "complex": Refusal(
        "TL179",
        "this use of complex numbers is not lifted: {detail}",
        "keep real and imaginary parts in arrays of their own",
    ),
    "annotation": Refusal(
        "TL179",
        "the annotation `{detail}` is not understood",
        "write `int`, `float`, `list[float]`, `NDArray[np.float64]` or a text like `'float64[:, :]'`",
    ),
    "return": Refusal("TL180", "{detail}", "return numbers, arrays or a tuple of them at the end of the function"),
    "rebind": Refusal(
        "TL181", "`{detail}` names an array and is bound again", "bind a copy each time, as in `{detail} = x.copy()`"
    ),
    "rebind-kind": Refusal(
        "TL181",
        "`{detail}` is bound to arrays of several types or ranks",
        "convert the array to the later type where it is bound first",
    ),
    "table": Refusal(
        "TL182", "`{detail}`, which the function does not bind, is changed", "pass it as a parameter, or change a copy"
    ),
    "rebind-changed": Refusal(
        "TL181",
        "`{detail}` is changed in place, and bound again where not every run does so",
        "bind a copy to a new name",
    ),
    "name": Refusal("TL182", "`{detail}` is no variable of the function", "pass `{detail}` as a parameter"),
    "parameters": Refusal("TL183", "{detail}", "use plain parameters"),
    "decorator": Refusal("TL184", "the decorator `{detail}` changes what the function means", "remove the decorator"),
    "reshape": Refusal(
        "TL185",
        "`{detail}` is not lifted for these shapes",
        "index the array by its own dimensions, as in `x[2 * i + a, 2 * j + b]`",
    ),
    "axis": Refusal("TL187", "{detail} is not lifted", "give one axis of the array, as in `axis=0`"),
    "length-of-data": Refusal(
        "TL187", "the length of {detail} depends on data", "pass a bound of the values, as in `minlength=n`"
    ),
    "attribute": Refusal(
        "TL185", "the attribute `{detail}` is not lifted", "use `shape`, `T`, `size`, `ndim` or a reduction"
    ),
    "target": Refusal("TL186", "{detail}", "assign to a name, an element or a slice"),
    "unpack": Refusal("TL186", "{detail}", "assign each name by itself, as in `a = x[0]`"),
    "element-type": Refusal("TL187", "the element type `{detail}` is not lifted", "use a type such as `np.float64`"),
    "arguments": Refusal("TL187", "{detail}", "pass plain positional arguments"),
    "arange": Refusal(
        "TL187",
        "`{detail}` is lifted for a stop, or a start and a stop",
        "multiply by the step, and convert to the type, as in `(2 * np.arange(n)).astype(np.float32)`",
    ),
    "no-dimensions": Refusal("TL187", "`{detail}` is an array without dimensions", "use a number, as in `s = 0.0`"),
    "operator": Refusal("TL188", "{detail}", "use arithmetic, comparisons, `and`, `or` and `not`"),
    "condition": Refusal("TL188", "an array is no condition", "reduce it, as in `x.any()` or `x.all()`"),
    "membership": Refusal(
        "TL188", "the comparison `{detail}` is not lifted", "compare the elements, as in `(x == y).any()`"
    ),
    "power": Refusal("TL188", "the exponent of an integer is no small constant", "use a constant such as `2`"),
    "list": Refusal("TL188", "{detail} has no arithmetic", "compute the items in a comprehension"),
    "range": Refusal("TL188", "{detail}", "use an array of a wider type"),
    "type": Refusal("TL188", "{detail}", "convert a number, as in `int(x)`, `float(x)` or `np.float32(x)`"),
    "truths": Refusal("TL188", "{detail}", "combine truth values with `&`, `|`, `^` and `~`"),
    "several-dimensions": Refusal("TL177", "`{detail}` of an array with several dimensions", "call `np.{detail}`"),
    "list-of-truths": Refusal("TL186", "{detail}", "annotate the list with `list[int]`"),
    "list-type": Refusal("TL186", "{detail}", "annotate the list with `list[float]`"),
    "view": Refusal(
        "TL176",
        "`{detail}` has a view in another shape, and one of both is changed",
        "index `{detail}` itself",
    ),
    "effect": Refusal(
        "TL188", "`{detail}` stores into an array in the middle of an expression", "call it in a statement of its own"
    ),
    "of-number": Refusal(
        "TL189",
        "`np.{detail}` of a number, or of a parameter whose number of dimensions is not known",
        "annotate the array with its dimensions, as in `'float64[:, :]'`",
    ),
    "unknown-rank": Refusal(
        "TL189",
        "the number of dimensions of `{detail}` is not known",
        "annotate it with its dimensions, as in `'float64[:, :]'`",
    ),
}

# The reasons that lowering gives, with what helps in Python.
_REMEDIES = {
    "TL110": "count its iterations, as in `for i in range(n)`",
    "TL116": "move the check of data to the caller",
    "TL121": "step by an integer constant",
    "TL131": "use sums of loop variables and sizes, or an array of higher rank",
    "TL132": "use one index for each dimension",
    "TL133": "wrap it around, as in `x[(i - 1) % n]`",
    "TL135": "make the extent a sum of sizes",
    "TL150": "define it in this file, or use functions that docs/python.md lists",
    "TL157": "count upwards with `range`",
    "TL160": "assign the variable first",
}


class RefusedError(Exception):
    """A row of the table, raised where the place is not known: who reads the syntax around adds it."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


refusal = partial(shared_refusal, rows=REFUSALS)


def in_python(diagnostic: Diagnostic) -> Diagnostic:
    """Give a diagnostic of lowering the remedy that a Python program needs."""
    if diagnostic.message == SHARED["ends-early"].message:
        return refusal("ends-early", diagnostic.location).diagnostics[0]
    if diagnostic.code == SHARED["break"].code:
        return refusal("jump", diagnostic.location, "break").diagnostics[0]
    return replace(diagnostic, remedy=_REMEDIES.get(diagnostic.code, diagnostic.remedy))
