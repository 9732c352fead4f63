"""The worker that runs a lifted program on large inputs, beside compiled or Python originals, compares and times them.

Inputs are drawn here from a seed, in the first style on which all results are finite and, where results are compared,
the original is stable; else in the last.  What the first call of a program
costs is timed by itself: loading its library, loading the program, and the call, in which it may be compiled.

Takes samples of how long calls take, in turns, so that what else the machine does meets all contenders alike.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.runtime.compare import Array, Tolerance, compare
from tensorlift.runtime.data import nudged, random_array, random_places, seeded
from tensorlift.runtime.libraries import Library, NoDeviceError, load_library, parts
from tensorlift.runtime.original_worker import Call
from tensorlift.runtime.program import arguments_for, results_of
from tensorlift.runtime.program_worker import loaded_plain
from tensorlift.runtime.python_original_worker import PythonCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.runtime.original_worker import Buffer

    Facts = dict[str, Any]
    Original = Callable[[Mapping[str, Any]], "_Original"]
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


PROGRAM = "program"  # its name among the contenders
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _LARGE = -1, -3, 1 << 30  # options of mallopt by glibc's numbers, and bytes
_SHARE = 1e-3  # of the tolerance by which inputs are changed
_TRIES = 3  # samples of calls of what each compiler made
_UNSET = 3.25  # what memory holds that is no input
UNSTABLE = "unstable"  # among complaints: the original depends as much on the last bits of its inputs


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Run what ``facts`` ask for (`measure.Request`); ``arrays`` are those that only the originals' calls need."""
    _use_processors(facts["threads"])
    if not facts["fresh_memory"]:
        keep_memory()
    program = _program(facts)
    if program is not None and program.missing:
        return {"missing": program.missing}, {}
    reply: Facts = {}
    originals: dict[str, _Original] = {}
    results: list[Array] = []
    for style in facts["styles"]:
        inputs = _inputs(facts, style)
        buffers: dict[str, Buffer] = {}  # of all: where arrays lie makes a fifth
        originals = {o["name"]: _original(facts, o, inputs, arrays, buffers) for o in facts["originals"]}
        results, times = _results(program, originals, inputs)
        reply = {"style": style, "times": times, "outputs": _described(results, facts["outputs"])}
        if not _finite(results) and style != facts["styles"][-1]:
            continue
        if facts["compare"] and program is not None:
            reply["complaints"], reply["error"] = _compared(results, originals, inputs, facts, arrays)
        if not any(UNSTABLE in found for found in reply.get("complaints", {}).values()):
            break
    reply |= {} if program is None else program.remarks()
    if facts["rounds"]:
        reply["samples"] = take_samples(_contenders(program, originals), facts["rounds"], facts["seconds"])
    kept = {f"result:{k}": np.asarray(result) for k, result in enumerate(results)} if facts["keep"] else {}
    return reply, kept


def _contenders(
    program: _Program | _InMemory | None, originals: Mapping[str, _Original]
) -> list[tuple[str, Callable[[], float]]]:
    """List what is timed in turns: the program after each original, so that its least is not the least of fewer."""
    own = [] if program is None else [(PROGRAM, program.timed)]
    listed = [pair for name, original in originals.items() for pair in ((name, original.timed), *own)]
    return listed or own


def _use_processors(count: int) -> None:
    """Let this process, and what it starts, use so many processors."""
    mine = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, mine[:count])


def keep_memory() -> None:
    """Let the C library keep memory that is freed, where it can: touching fresh pages costs more than most operations.

    It gives arrays above a threshold back at once; libraries for arrays allocate one for each operation.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _LARGE)
        set_option(_TRIM_THRESHOLD, _LARGE)


def _program(facts: Facts) -> _Program | _InMemory | None:
    if not facts["program"]:
        return None
    return _InMemory(facts) if "libraries" in facts["program"] else _Program(facts)


class _InMemory:
    """A lifted program in C, compiled: it runs as an original does, over arrays that it may need beside those given."""

    missing = ""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._described = facts, facts["program"]
        self.compiler = ""
        self.times = {"library": 0.0, "load": self._described["load"], "give": 0.0, "take": 0.0}

    def run(self, inputs: Mapping[str, Any]) -> list[Array]:
        """Lay the inputs out and call once, timed, what each compiler made; keep the quickest."""
        given = {name: self._memory(name, shape, inputs) for name, shape in self._described["shapes"].items()}
        plain = {name: inputs[name.rstrip("_")] for name in self._described["types"] if name not in given}
        self._given, self._shapes = {**plain, **given}, {name: np.shape(value) for name, value in inputs.items()}
        calls = {name: self._compiled(library) for name, library in self._described["libraries"].items()}
        first = {name: call.timed() for name, call in calls.items()}
        rounds = _TRIES if len(calls) > 1 else 0
        samples = take_samples([(name, call.timed) for name, call in calls.items()], rounds, inf)
        quickest = min(calls, key=lambda name: min(samples[name], default=0.0))
        self.compiler = quickest if len(calls) > 1 else ""
        self.times["first_call"] = first[quickest]
        self._call = calls[quickest]
        return self._results()

    def timed(self) -> float:
        """Give the seconds of one call."""
        return self._call.timed()

    def remarks(self) -> Facts:
        """Say what else is known of the run."""
        return {"compiler": self.compiler}

    def _memory(self, name: str, shape: Sequence[int], inputs: Mapping[str, Any]) -> Array:
        """Give the memory of an array: what is no input, and gaps between its rows, hold anything."""
        memory = np.full(tuple(shape), _UNSET, self._described["types"][name])
        given = inputs.get(name.rstrip("_"))
        if given is not None:
            memory[tuple(map(slice, np.shape(given)))] = given
        return memory

    def _compiled(self, library: str) -> _Original:
        described, types = self._described, self._described["types"]
        arrays = {f"0:{name}": np.asarray(value, types[name]) for name, value in self._given.items()}
        arrays |= {name: np.asarray(value, np.int64) for name, value in described["lengths"].items()}
        call = Call(library, described["case"], arrays, self._facts["result"])
        needed = {name.rstrip("_") for name in self._facts["restored"]}
        restored = [name for name in described["written"] if name.rstrip("_") in needed]
        return _Original(call, {**self._facts, "written": described["written"], "restored": restored}, self._given)

    def _results(self) -> list[Array]:
        """Give what the source writes, then what it returns."""
        written = self._described["written"]
        found = dict(zip([*(name.rstrip("_") for name in written), ""], self._call.results(), strict=False))
        names = self._facts["written"]
        results = [found[name.rstrip("_")][tuple(map(slice, self._shapes[name]))] for name in names]
        return [*results, *([found[""]] if self._facts["result"] else [])]


class _Program:
    """A lifted program with its library; `run` calls it once."""

    def __init__(self, facts: Facts) -> None:
        described = facts["program"]
        self.missing, self._outputs, self._mesh = "", len(facts["outputs"]), described["mesh"]
        self.parts: dict[str, int] = {}
        self._sizes = [p["name"] for p in facts["parameters"] if p["role"] == "size"]
        start = time.perf_counter()
        try:
            self._library: Library = load_library(described["module"], described["device"], described["mesh"])
        except NoDeviceError as error:
            self.missing = str(error)
            return
        loaded = time.perf_counter()
        self._plain = loaded_plain(described["text"], described["entry"], described["module"], described["device"])
        self._program = self._plain
        if described["compiled"] and self._library.compiled is not None:
            constants = [n for n in arguments_for(self._plain, self._names(facts)) if n.rstrip("_") in self._sizes]
            self._program = self._library.compiled(self._plain, constants)
        self.times = {"library": loaded - start, "load": time.perf_counter() - loaded}
        self._given: dict[str, Any] = {}

    def _names(self, facts: Facts) -> dict[str, str]:
        return {parameter["name"]: "" for parameter in facts["parameters"]}

    def run(self, inputs: Mapping[str, Any]) -> list[Array]:
        """Place inputs, call once and fetch the results, each step timed."""
        start = time.perf_counter()
        taken = arguments_for(self._plain, inputs)
        self._given = {name: v if isinstance(v, int) else self._library.give(v) for name, v in taken.items()}
        self._library.wait(list(self._given.values()))
        placed = time.perf_counter()
        self.parts = {n: parts(v) for n, v in self._given.items() if np.ndim(v)} if self._mesh else {}
        with np.errstate(all="ignore"):
            returned = self._program(**self._given)
        self._library.wait(returned)
        called = time.perf_counter()
        fetched = [np.asarray(self._library.take(result)) for result in results_of(returned, self._outputs)]
        fetching = time.perf_counter() - called
        self.times |= {"give": placed - start, "first_call": called - placed, "take": fetching}
        return fetched

    def timed(self) -> float:
        """Give the seconds of one call on the inputs that are placed, until the results are computed."""
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            returned = self._program(**self._given)
        self._library.wait(returned)
        return time.perf_counter() - start

    def remarks(self) -> Facts:
        """Say what else is known of the run."""
        return {"parts": self.parts}


class _Original:
    """An original with its inputs; what it writes is put back before each call, where that matters.

    Else half of it would be in the cache of another processor than the one whose turn it is to write it.
    """

    def __init__(self, call: Call | PythonCall, facts: Facts, inputs: Mapping[str, Any]) -> None:
        self._call, self._facts = call, facts
        self.seconds = 0.0  # of the last call
        self._before = {f"0:{name}": np.asarray(inputs[name]) for name in facts["restored"]}

    def timed(self) -> float:
        """Give the seconds of one call."""
        if isinstance(self._call, PythonCall):
            self._call.restore()
        else:
            self._call.restore(self._before)
        self.seconds = self._call()
        return self.seconds

    def results(self) -> list[Array]:
        """Call once; give the written arrays, then the returned value."""
        self.timed()
        after = self._call.after()
        found = [after[f"0:{name}"] for name in self._facts["written"]]
        if not self._facts["result"]:
            return found
        returned = self._call.returned.copy() if isinstance(self._call, Call) else after["0:"]
        return [*found, returned]


def _original(
    facts: Facts,
    described: Facts,
    inputs: Mapping[str, Any],
    arrays: Mapping[str, Array],
    buffers: dict[str, Buffer] | None = None,
) -> _Original:
    given = {f"0:{p['name']}": np.asarray(inputs[p["name"]], p["dtype"]) for p in facts["parameters"]}
    if "source" in described:
        return _Original(PythonCall(described, 0, given), facts, inputs)
    call = Call(described["library"], described["case"], {**arrays, **given}, facts["result"], buffers)
    return _Original(call, facts, inputs)


def _inputs(facts: Facts, style: Any) -> dict[str, Any]:
    """Draw the arguments by their names in the source."""
    rng = seeded(facts["seed"])
    inputs: dict[str, Any] = {}
    for p in facts["parameters"]:
        drawn = None if p["role"] == "size" else random_array(p["type"], tuple(p["shape"]), rng, style)
        inputs[p["name"]] = facts["sizes"][p["name"]] if drawn is None else drawn if p["role"] == "array" else drawn[()]
    rising = facts["rising"]
    return inputs | {
        name: random_places(inputs[name], low, high, rng, rising=name in rising)
        for name, (low, high) in facts["ranges"].items()
    }


def _results(
    program: _Program | _InMemory | None, originals: Mapping[str, _Original], inputs: Mapping[str, Any]
) -> tuple[list[Array], dict[str, float]]:
    """Give the program's results, without one the first original's."""
    if program is None:
        return next(iter(originals.values())).results(), {}
    times = {} if "first_call" not in program.times else dict(program.times)
    results = program.run(inputs)
    return results, times or dict(program.times)


def _finite(results: Sequence[Array]) -> bool:
    return all(bool(np.isfinite(result).all()) for result in results if result.dtype.kind in "fV")


def _described(results: Sequence[Array], outputs: Sequence[str]) -> list[Facts]:
    """Describe results: type, shape, the sum over the finite elements, and a digest of the bytes."""
    return [
        {
            "name": name,
            "dtype": result.dtype.name,
            "shape": list(result.shape),
            "sum": float(np.sum(result, where=np.isfinite(result), dtype=np.float64)),
            "sha256": hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest(),
        }
        for name, result in zip(outputs, results, strict=True)
    ]


def _compared(
    results: Sequence[Array],
    originals: Mapping[str, _Original],
    inputs: Mapping[str, Any],
    facts: Facts,
    arrays: Mapping[str, Array],
) -> tuple[dict[str, list[str]], float]:
    """Compare with each original: complaints by its name, with `UNSTABLE` where the source itself is; the error."""
    tolerance = Tolerance(*facts["compare"])
    complaints: dict[str, list[str]] = {}
    worst = 0.0
    for described in facts["originals"]:
        name = described["name"]
        expected = originals[name].results()
        found = [compare(o, e, r, tolerance) for o, e, r in zip(facts["outputs"], expected, results, strict=True)]
        complaints[name] = [difference.complaint for difference in found if difference.complaint]
        if complaints[name] and not _finite(results):
            complaints[name].append(UNSTABLE)  # sums in another order may overflow elsewhere
        elif complaints[name]:
            other = _original(facts, described, _nearly(inputs, tolerance), arrays).results()
            pairs = zip(facts["outputs"], expected, other, strict=True)
            if any(compare(o, e, r, tolerance).complaint for o, e, r in pairs):
                complaints[name].append(UNSTABLE)
        else:
            worst = max([worst, *(difference.error for difference in found)])
    return complaints, worst


def _nearly(inputs: Mapping[str, Any], tolerance: Tolerance) -> dict[str, Any]:
    """Change inputs by a small share of the tolerance, which stands for the rounding of all that is computed."""
    shares = {name: (tolerance.by_name(np.asarray(value).dtype.name) or 0.0) * _SHARE for name, value in inputs.items()}
    return {name: nudged(value, shares[name]) for name, value in inputs.items()}
