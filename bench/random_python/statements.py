"""Random statements of Python: loops of every form, stores, views and other names of arrays, tuples, calls."""

from __future__ import annotations

from bench.random_python.expressions import Expressions, over
from bench.random_python.scope import LEAST, Array, Counter, Number, Scope

_UPDATES = ("+=", "-=", "=", "=", "+=")


class Statements(Expressions):
    """Writes statements as lines without indentation of their own."""

    extents: tuple[str, ...] = ("n", "m")
    has_helper = False

    def block(self, scope: Scope, depth: int) -> list[str]:
        """Write one to three statements; what they bind ends with them, but for names of arrays."""
        lines: list[str] = []
        for _ in range(self.pick(1, 1, 2, 3)):
            added, scope = self.statement(scope, depth)
            lines += added
        return lines or ["pass"]

    def statement(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        """Write a statement, and give what is known after it."""
        kinds = ["loop"] * 4 if depth > 0 else []
        if scope.counters:
            kinds += ["store", "store", "store", "branch", "branch", "swap", "local"]
        else:
            kinds += ["loop", "loop", "loop", "store", "swap"]
            kinds += ["view", "name", "slices", "slices", "array", "reduce", "call", "accumulate", "accumulate"]
        kind = self.pick(*kinds)
        if kind == "loop":
            return self.loop(scope, depth), scope
        binding = {"local": self.local, "view": self.view, "name": self.name, "array": self.array}
        binding |= {"reduce": self.reduce, "accumulate": self.accumulate}
        if kind in binding:
            return binding[kind](scope)
        plain = {"slices": self.slices, "call": self.call, "swap": self.swap, "branch": self.branch}
        return plain.get(kind, self.store)(scope), scope

    def loop(self, scope: Scope, depth: int) -> list[str]:
        """Write a loop over an extent, in one of the ways of Python."""
        extent = self.pick(*self.extents)
        name = self.fresh("i")
        low, high = self.pick((0, 0), (0, 0), (1, 0), (0, 1), (1, 1))
        kind = self.pick("range", "range", "range", "falling", "while", "reversed", "stepped", "enumerate", "items")
        counter = over(extent, low=low, high=high, name=name)
        inner = scope.with_counter(counter)
        start, stop = str(low), _less(extent, high)
        if kind in ("enumerate", "items"):
            return self._items(scope, depth, extent)
        head = {
            "range": f"for {name} in range({start + ', ' if low else ''}{stop}):",
            "falling": f"for {name} in range({_less(extent, high + 1)}, {low - 1}, -1):",
            "reversed": f"for {name} in reversed(range({start}, {stop})):",
            "stepped": f"for {name} in range({start}, {stop}, {self.pick(2, 3)}):",
            "while": f"while {name} < {stop}:",
        }[kind]
        body = self.block(inner, depth - 1)
        if kind == "while":
            return [f"{name} = {start}", head, *indent([*body, f"{name} += 1"])]
        return [head, *indent(body)]

    def _items(self, scope: Scope, depth: int, extent: str) -> list[str]:
        """Write a loop over the items of arrays."""
        fitting = [a for a in scope.arrays if a.shape == (extent,) and a.cut == 0]
        if not fitting:
            return ["pass"]
        array, name, item = self.pick(*fitting), self.fresh("i"), self.fresh("v")
        inner = scope.with_counter(Counter(name, extent)).with_number(Number(item, array.is_float))
        body = indent(self.block(inner, depth - 1))
        if self.chance(0.3):
            other = self.pick(*fitting)
            second = self.fresh("v")
            return [f"for {name}, ({item}, {second}) in enumerate(zip({array.name}, {other.name})):", *body]
        return [f"for {name}, {item} in enumerate({array.name}):", *body]

    def store(self, scope: Scope) -> list[str]:
        """Write a store into an element."""
        array = self.pick(*scope.arrays)
        place = self.place(scope, array)
        if place is None:
            return ["pass"]
        value = self._value(scope, array)
        update = self.pick(*_UPDATES)
        if array.dtype not in ("int64", "float64", "float32") and update != "=":
            update = "="
        return [f"{place} {update} {value}"]

    def _value(self, scope: Scope, array: Array) -> str:
        if array.is_float:
            return self.exact(scope, 2, whole=False) if self.chance(0.7) else self.real(scope, 2)
        if array.dtype in ("int64", "int32"):
            return self.exact(scope, 2, whole=True)
        same = [a for a in scope.arrays if a.dtype == array.dtype]
        found = [place for a in same if (place := self.place(scope, a)) is not None]
        if not found:
            return str(self.pick(1, 2, 3))
        a, b = self.pick(*found), self.pick(*found)
        return self.pick(
            f"{a} + {b}", f"{a} * 2 - {b}", f"{a} // 3", f"{a} % 5", f"min({a}, 7)", f"{a} & {b}", f"{a} ^ 3"
        )

    def swap(self, scope: Scope) -> list[str]:
        """Write an assignment of several targets at once."""
        array, other = self.pick(*scope.arrays), self.pick(*scope.arrays)
        if array.dtype != other.dtype or array.is_list != other.is_list:
            other = array
        one, two = self.place(scope, array), self.place(scope, other)
        if one is None or two is None:
            return ["pass"]
        if self.chance(0.3):
            return [f"{one}, {two} = {two}, {self.leaf(scope, whole=not array.is_float)}"]
        return [f"{one}, {two} = {two}, {one}"]

    def local(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a local scalar."""
        name, is_float = self.fresh("t"), self.chance(0.6)
        value = self.exact(scope, 2, whole=not is_float)
        return [f"{name} = {value}"], scope.with_number(Number(name, is_float))

    def accumulate(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a loop that adds up, counts or looks for an extreme."""
        name, i, is_float = self.fresh("s"), self.fresh("i"), self.chance(0.6)
        extent = self.pick(*self.extents)
        inner = scope.with_counter(over(extent, name=i))
        value = self.exact(inner, 1, whole=not is_float)
        step = self.pick(
            f"{name} += {value}", f"{name} = max({name}, {value})", f"if {self.condition(inner, 1)}:\n    {name} += 1"
        )
        start = self.pick("0.0", "1.5") if is_float else self.pick("0", "1")
        known = scope.with_number(Number(name, is_float, exact=False))
        return [f"{name} = {start}", f"for {i} in range({extent}):", *indent(step.split("\n"))], known

    def reduce(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a reduction of an array."""
        arrays = [a for a in scope.arrays if len(a.shape) == 1]
        if not arrays:
            return ["pass"], scope
        array, name = self.pick(*arrays), self.fresh("s")
        call = self.pick(
            "sum({0})", "max({0})", "min({0})", "sum(v * v for v in {0})", "sum(1 for v in {0} if v > 1)", "len({0})",
            "any(v > 2 for v in {0})", "np.sum({0})", "np.max({0})", "sum({0}, 3)", "np.mean({0})",
        )  # fmt: skip
        is_float = array.is_float and not call.startswith(("len", "any", "sum(1"))
        return [f"{name} = {call.format(array.name)}"], scope.with_number(Number(name, is_float, exact=False))

    def view(self, scope: Scope) -> tuple[list[str], Scope]:
        """Give a part of an array a name; of a list it is a copy."""
        array, name = self.pick(*scope.arrays), self.fresh("b")
        if len(array.shape) > 1:
            row = Array(name, array.dtype, array.shape[1:], array.is_list, base=array.name)
            return [f"{name} = {array.name}[{self.pick(0, 1, -1)}]"], scope.with_array(row)
        if array.cut or array.is_list:
            return ["pass"], scope
        part, cut = self.pick(("1:", 1), (":-1", 1), ("1:-1", 2), ("::-1", 0), (":", 0))
        known = Array(name, array.dtype, array.shape, array.is_list, cut, base=array.name)
        return [f"{name} = {array.name}[{part}]"], scope.with_array(known)

    def name(self, scope: Scope) -> tuple[list[str], Scope]:
        """Give an array another name, or make one with two."""
        array, name = self.pick(*scope.arrays), self.fresh("b")
        known = Array(name, array.dtype, array.shape, array.is_list, array.cut, array.name)
        if len(array.shape) == 1 and not array.is_list and self.chance(0.4):
            other = self.fresh("b")
            made = Array(name, "float64", array.shape)
            lines = [f"{name} = {other} = np.{self.pick('zeros', 'ones')}({_less(array.shape[0], 0)})"]
            return lines, scope.with_array(made).with_array(Array(other, "float64", array.shape))
        return [f"{name} = {array.name}"], scope.with_array(known)

    def array(self, scope: Scope) -> tuple[list[str], Scope]:
        """Make an array or a list."""
        extent, name = self.pick(*self.extents), self.fresh("w")
        made = Array(name, "float64", (extent,))
        kind = self.pick("zeros", "list", "comprehension", "value", "copy")
        if kind == "zeros":
            return [f"{name} = np.zeros({extent})"], scope.with_array(made)
        if kind == "list":
            return [f"{name} = [0.0] * {extent}"], scope.with_array(Array(name, "float64", (extent,), is_list=True))
        if kind == "comprehension":
            v = self.fresh("k")
            item = self.exact(scope.with_counter(over(extent, name=v)), 1, whole=False)
            item = f"float({item})"
            return (
                [f"{name} = [{item} for {v} in range({extent})]"],
                scope.with_array(Array(name, "float64", (extent,), is_list=True)),
            )
        source = [a for a in scope.arrays if a.shape == (extent,) and not a.is_list and a.cut == 0]
        if not source:
            return ["pass"], scope
        array = self.pick(*source)
        text = f"{array.name}.copy()" if kind == "copy" else f"{array.name} * 2"
        return [f"{name} = {text}"], scope.with_array(Array(name, array.dtype, array.shape))

    def slices(self, scope: Scope) -> list[str]:
        """Write an assignment of whole arrays or parts of them."""
        arrays = [a for a in scope.arrays if not a.is_list and a.is_float]
        if not arrays:
            return ["pass"]
        array = self.pick(*arrays)
        cut = self.pick(array.cut, array.cut, array.cut + 1)
        value = self.whole_array(scope, array.shape, cut, self.pick(0, 1, 1)) if cut < LEAST else None
        if value is None:
            return ["pass"]
        update = self.pick("=", "+=", "-=", "=")
        if cut > array.cut:
            target = self.pick(f"{array.name}[1:]", f"{array.name}[:-1]")
        else:
            target = f"{array.name}[:]" if update == "=" else self.pick(array.name, f"{array.name}[:]")
        return [f"{target} {update} {value}"]

    def call(self, scope: Scope) -> list[str]:
        """Call the helper, which writes its first argument."""
        arrays = [a for a in scope.arrays if a.shape == ("n",) and a.dtype == "float64"]
        if len(arrays) == 0:
            return ["pass"]
        self.has_helper = True
        a, b = self.pick(*arrays), self.pick(*arrays)
        if self.chance(0.4):
            name = self.fresh("t")
            return [f"{name} = helper({a.name}, {b.name})", f"{a.name}[0] = {name}"]
        return [f"helper({a.name}, {b.name})"]

    def branch(self, scope: Scope) -> list[str]:
        """Write a condition around stores."""
        lines = [f"if {self.condition(scope, 1)}:", *indent(self.store(scope))]
        if self.chance(0.4):
            lines += ["else:", *indent(self.store(scope))]
        return lines


def indent(lines: list[str]) -> list[str]:
    """Put lines one level deeper."""
    return [f"    {line}" for line in lines]


def _less(extent: str, by: int) -> str:
    return extent if by == 0 else f"{extent} - {by}"
