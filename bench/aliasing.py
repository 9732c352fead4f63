"""Call lifted kernels on arrays that overlap on purpose: ``python bench/aliasing.py [--suite NAME] [--kernel NAME]``.

Every kernel with two pointers or more runs on flat memory in which each pair of its arrays begins at the same place,
overlaps by a half, by one element on either side, or is one element apart, and in which all begin at the same place.
The adapter with C's signature and the guarded program must each give what the compiled original gives on the same
memory, or say which precondition fails; then the adapter, told of the original, must have called it.  The exit status
is 1 where a result is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import multiprocessing
import sys
import tempfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.kernels import native
from bench.kernels.catalogue import Kernel, Parameter, kernels
from bench.kernels.sample import DTYPES, Inputs, draw, extents
from tensorlift import Lifted, lift
from tensorlift.contract.notation import parse_sum
from tensorlift.runtime.compare import Tolerance, compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tensorlift.contract import interface

_MEANING = ("-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off")  # as the loop IR means C
_ROOM = 64  # bytes before and behind the arrays that no call may touch
_TOLERANCE = Tolerance(f64=1e-7, f32=1e-3)
_LARGEST = 5


@dataclass
class Outcome:
    """What became of the calls of one kernel: how many had which end, and what was wrong."""

    kernel: str
    calls: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Memory:
    """Flat memory with the arrays of one call in it; ``offsets`` are in bytes."""

    kernel: Kernel
    inputs: Inputs
    offsets: dict[str, int]
    overlapping: set[str]
    cells: NDArray[np.uint8]

    def copy(self) -> Memory:
        """Give the same in memory of its own."""
        return Memory(self.kernel, self.inputs, self.offsets, self.overlapping, self.cells.copy())

    def flat(self, parameter: Parameter) -> NDArray[Any]:
        """View an array as the elements from its first to its last."""
        dtype = np.dtype(DTYPES[parameter.dtype])
        start = self.offsets[parameter.name]
        return self.cells[start : start + span(parameter, self.inputs) * dtype.itemsize].view(dtype)

    def shaped(self, parameter: Parameter) -> NDArray[Any]:
        """View an array in its shape."""
        shape, strides = layout(parameter, self.inputs)
        flat = self.flat(parameter)
        return np.lib.stride_tricks.as_strided(flat, shape, [s * flat.itemsize for s in strides])

    def arguments(self) -> list[Any]:
        """Give what C's function takes: numbers, flat arrays, tables of rows, structures of ctypes."""
        structures = {p.structure: self._structure(p.structure) for p in self.kernel.parameters if p.structure}
        passed = {p.structure or p.name: p for p in self.kernel.parameters}
        return [structures[name] if p.structure else self._argument(p) for name, p in passed.items()]

    def _argument(self, parameter: Parameter) -> Any:
        if parameter.role != "array":
            return self.inputs[parameter.name]
        return list(self.shaped(parameter)) if parameter.rows else self.flat(parameter)

    def _structure(self, name: str) -> Any:
        members = [p for p in self.kernel.parameters if p.structure == name]
        values = [_as_c(self._argument(p), p.dtype) for p in members]
        fields = [(p.name.removeprefix(f"{name}_"), type(value)) for p, value in zip(members, values, strict=True)]
        return type("Record", (ctypes.Structure,), {"_fields_": fields})(*values)


def layout(parameter: Parameter, inputs: Inputs) -> tuple[tuple[int, ...], list[int]]:
    """Give the shape of an array and its strides in elements."""
    shape = extents(parameter, inputs)
    inner = [*shape[1:], 1]
    if parameter.leading:
        inner[0] = inputs[parameter.leading]
    return shape, [int(np.prod(inner[k:])) for k in range(len(shape))]


def span(parameter: Parameter, inputs: Inputs) -> int:
    """Count the elements from the first of an array to its last."""
    shape, strides = layout(parameter, inputs)
    return 1 + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))


def _as_c(value: Any, dtype: str) -> Any:
    """Give an argument as a value of ctypes; what a pointer points to must outlive it elsewhere."""
    if isinstance(value, list):
        table = (ctypes.c_void_p * len(value))(*(row.ctypes.data for row in value))
        return ctypes.cast(table, ctypes.c_void_p)
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, ctypes.Structure):
        return value
    return {"i32": ctypes.c_int, "f32": ctypes.c_float, "f64": ctypes.c_double}[dtype](value)


# -- placing arrays


def memories(kernel: Kernel, rng: np.random.Generator) -> Iterator[Memory]:
    """Yield memory for each way of overlapping, with random values in it."""
    inputs = draw(kernel, rng, _LARGEST)
    arrays = [p for p in kernel.parameters if p.role == "array"]
    sizes = {p.name: span(p, inputs) * np.dtype(DTYPES[p.dtype]).itemsize for p in arrays}
    apart, total = {}, _ROOM
    for name, size in sizes.items():
        apart[name] = total
        total += -(-size // 8) * 8 + _ROOM
    room = total + sum(sizes.values()) + _ROOM
    placed = [dict.fromkeys(sizes, _ROOM)]
    for one, other in combinations(arrays, 2):
        placed += [{one.name: total, other.name: total + d} for d in _distances(one, other, sizes)]
        placed += [{other.name: total, one.name: total + d} for d in _distances(other, one, sizes) if d]
    for offsets in placed:
        memory = Memory(kernel, inputs, {**apart, **offsets}, set(offsets), np.full(room, 0xA5, np.uint8))
        for parameter in arrays:
            memory.shaped(parameter)[...] = inputs[parameter.name]
        yield memory


def _distances(one: Parameter, other: Parameter, sizes: dict[str, int]) -> list[int]:
    """List how far behind one array another begins, in bytes: at the same place, by an element, a half, at the end."""
    step = max(np.dtype(DTYPES[p.dtype]).itemsize for p in (one, other))
    count = -(-sizes[one.name] // step)
    return [step * k for k in sorted({0, 1, count // 2, count - 1}) if k < count]


# -- calling


def try_kernel(kernel: Kernel, library: ctypes.CDLL, seed: int) -> Outcome:
    """Call a kernel on all memories of one draw of sizes."""
    lifted, guarded = (
        lift(str(kernel.path), function=kernel.function, include_dirs=(str(kernel.path.parent),), guards=guards)
        for guards in (False, True)
    )
    outcome = Outcome(str(kernel))
    function = library[kernel.function]
    function.restype = {"": None, "i32": ctypes.c_int, "f32": ctypes.c_float, "f64": ctypes.c_double}[kernel.result]
    rng = np.random.default_rng(zlib.crc32(str(kernel).encode()) + seed)
    for memory in memories(kernel, rng):
        wanted = memory.copy()
        returned = function(*_converted(wanted))
        complaints = {
            "adapter": _try_adapter(lifted, function, memory, (wanted, returned), outcome.calls),
            "program": _try_program(guarded, memory, (wanted, returned), outcome.calls),
        }
        for surface, complaint in complaints.items():
            if complaint and _is_undefined(function, memory, wanted):
                outcome.calls["undefined"] += 1
            elif complaint:
                places = ", ".join(f"{name} at {at}" for name, at in memory.offsets.items())
                outcome.wrong.append(f"{kernel}, {surface}: {complaint} ({places})")
    return outcome


def _converted(memory: Memory) -> list[Any]:
    """Give the arguments of a direct call as values of ctypes."""
    kinds = list({p.structure or p.name: p.dtype for p in memory.kernel.parameters}.values())
    return [_as_c(value, dtype) for value, dtype in zip(memory.arguments(), kinds, strict=True)]


def _try_adapter(
    lifted: Lifted, function: Any, memory: Memory, expected: tuple[Memory, Any], calls: Counter[str]
) -> str:
    mine = memory.copy()
    try:
        with np.errstate(all="ignore"):
            returned = lifted.adapter()(*mine.arguments())
    except ValueError as error:
        if type(error).__name__ != "PreconditionError":
            raise
        if not np.array_equal(mine.cells, memory.cells):
            return "memory was written before the precondition failed"
        calls["fell back"] += 1
        mine = memory.copy()
        returned = lifted.adapter(function)(*mine.arguments())
    else:
        calls["adapter"] += 1
    return _difference(mine, returned, *expected)


def _try_program(guarded: Lifted, memory: Memory, expected: tuple[Memory, Any], calls: Counter[str]) -> str:
    wanted, returned = expected
    mine, by_name = memory.copy(), {p.name: p for p in memory.kernel.parameters}
    taken_names = {name for p in guarded.functions[0].parameters for name in (p.name, p.name.removesuffix("_"))}
    if not memory.overlapping <= taken_names:  # the program has no parameter for what overlaps
        return ""
    arguments = []
    for taken in guarded.functions[0].parameters:
        parameter = by_name.get(taken.name) or by_name[taken.name.removesuffix("_")]
        flat = mine.flat(parameter) if parameter.role == "array" else None
        arguments.append(mine.inputs[parameter.name] if flat is None else _seen_as(taken, flat, mine.inputs))
    try:
        with np.errstate(all="ignore"):
            results = guarded(*arguments)
    except ValueError as error:
        if " needs that " not in str(error):
            raise
        calls["refused"] += 1
        return ""
    calls["program"] += 1
    names = [*memory.kernel.outputs, *(["return"] if memory.kernel.result else [])]
    results = results if len(names) > 1 else (results,)
    for name, found in zip(names, results, strict=True):
        value = _as_shaped(wanted, by_name[name], np.shape(found)) if name in by_name else returned
        complaint = _compared(name, value, found)
        if complaint:
            return complaint
    return ""


def _seen_as(parameter: interface.Parameter, flat: NDArray[Any], inputs: Inputs) -> NDArray[Any]:
    """View flat memory in the shape, with the strides, that the report gives."""
    at = {name: value for name, value in inputs.items() if np.ndim(value) == 0}
    shape, strides = ([parse_sum(text).at(at, {}) for text in texts] for texts in (parameter.shape, parameter.strides))
    assert 1 + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True)) <= flat.size, parameter
    return np.lib.stride_tricks.as_strided(flat, shape, [stride * flat.itemsize for stride in strides])


def _as_shaped(memory: Memory, parameter: Parameter, shape: tuple[int, ...]) -> NDArray[Any]:
    """View an array in the shape of a result, which may leave out elements at the end that nothing touches."""
    own = memory.shaped(parameter)
    return own if own.shape == shape else memory.flat(parameter)[: int(np.prod(shape))].reshape(shape)


def _compared(name: str, value: Any, found: Any) -> str:
    """Compare as values of the type that C gives."""
    wanted = np.asarray(value)
    return compare(name, wanted, np.asarray(found).astype(wanted.dtype), _TOLERANCE).complaint


def _difference(mine: Memory, returned: Any, wanted: Memory, value: Any) -> str:
    """Say how memory, and the returned value, differ from what the original leaves; what it writes up to rounding."""
    rest = mine.cells != wanted.cells
    for parameter in mine.kernel.parameters:
        if parameter.name in mine.kernel.outputs:
            complaint = compare(parameter.name, wanted.shaped(parameter), mine.shaped(parameter), _TOLERANCE).complaint
            if complaint:
                return complaint
            start = mine.offsets[parameter.name]
            rest[start : start + mine.flat(parameter).nbytes] = False
    if rest.any():
        return f"byte {int(rest.argmax())} differs, which is in no array that is written"
    return _compared("the result", value, returned) if value is not None else ""


def _is_undefined(function: Any, memory: Memory, wanted: Memory) -> bool:
    """Tell whether the original computes no numbers there, or the last bits of its inputs decide what it computes."""
    floats = [p for p in memory.kernel.parameters if p.role == "array" and p.dtype.startswith("f")]
    if not all(np.isfinite(wanted.flat(p)).all() for p in floats):
        return True
    nudged = memory.copy()
    for parameter in floats:
        values = nudged.shaped(parameter)
        values *= 1 + 8 * np.finfo(values.dtype).eps
    other = nudged.copy()
    function(*_converted(other))
    return any(compare(p.name, wanted.shaped(p), other.shaped(p), _TOLERANCE).complaint for p in floats)


# -- all of them


def run(chosen: Sequence[Kernel], seeds: int) -> Iterator[Outcome]:
    """Call kernels in a process for each, since an original may well crash; a crash is an outcome too."""
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="aliasing-") as folder:
        libraries = {s: native.build(s, Path(folder), _MEANING) for s in dict.fromkeys(k.suite for k in chosen)}
        for kernel in chosen:
            mine, theirs = fork.Pipe(duplex=False)
            process = fork.Process(target=_report, args=(kernel, libraries[kernel.suite], seeds, theirs))
            process.start()
            theirs.close()
            try:
                yield from mine.recv()
            except EOFError:
                process.join()
                yield Outcome(str(kernel), wrong=[f"{kernel}: the process ended with status {process.exitcode}"])
            process.join()


def _report(kernel: Kernel, library: ctypes.CDLL, seeds: int, pipe: Any) -> None:
    pipe.send([try_kernel(kernel, library, seed) for seed in range(seeds)])


def with_pointers() -> list[Kernel]:
    """List the kernels in C with two arrays or more; those in C++ take no pointers."""
    least = 2
    return [k for k in kernels() if k.path.suffix == ".c" and sum(p.role == "array" for p in k.parameters) >= least]


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Call lifted kernels on arrays that overlap on purpose.")
    parser.add_argument("--suite", action="append", help="only this suite")
    parser.add_argument("--kernel", action="append", help="only this kernel")
    parser.add_argument("--draws", type=int, default=2, help="how often sizes and values are drawn")
    options = parser.parse_args()
    chosen = [
        k
        for k in with_pointers()
        if (not options.suite or k.suite in options.suite) and (not options.kernel or k.name in options.kernel)
    ]
    total: Counter[str] = Counter()
    wrong: list[str] = []
    for outcome in run(chosen, options.draws):
        print(f"{outcome.kernel:34}" + ", ".join(f"{n} {how}" for how, n in sorted(outcome.calls.items())))
        total += outcome.calls
        wrong += outcome.wrong
    print("\n".join(wrong))
    calls = total["adapter"] + total["fell back"] + total["program"] + total["refused"]
    print(f"{len(chosen)} kernels, {calls} aliased calls: {dict(sorted(total.items()))}; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
