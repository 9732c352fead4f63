"""Random idioms of Python: variables carried through loops, flags, triangles, rows, masks, helpers in expressions."""

from __future__ import annotations

from bench.random_python.expressions import over
from bench.random_python.scope import Array, Counter, Number, Scope
from bench.random_python.statements import Statements, indent

PURE_HELPER = """\
def chosen(v, w=2):
    if v > w:
        return v - w
    elif v < -1:
        return w
    return v


"""


class Idioms(Statements):
    """Writes statements that mean something of their own in Python."""

    has_pure_helper = False

    def statement(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        """Write a statement, and give what is known after it."""
        if self.chance(0.6):
            return super().statement(scope, depth)
        kinds = [self.update, self.flag, self.helped, self.skipping]
        kinds += [self.triangle, self.row] if scope.counters and depth > 0 else []
        kinds += [self.carried, self.masked, self.rows, self.typed] if not scope.counters else []
        return self.pick(*kinds)(scope)

    def update(self, scope: Scope) -> tuple[list[str], Scope]:
        """Change variables that live outside of a loop, several at once by chance."""
        numbers = [v for v in scope.numbers if v.name.startswith("c")]
        if not numbers:
            return self.store(scope), scope
        one, two = self.pick(*numbers), self.pick(*numbers)
        value = self.exact(scope, 1, whole=not one.is_float)
        if one.is_float == two.is_float and self.chance(0.4):
            if one is two:  # CPython 3.11.2 stores several values to one variable in the wrong order
                return [f"{one.name} = {value}"], scope
            return [f"{one.name}, {two.name} = {two.name}, {value}"], scope
        text = self.pick(f"{one.name} += {value}", f"{one.name} = {value}", f"{one.name} = min({one.name}, {value})")
        return [text], scope

    def carried(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a loop around variables that live longer than it."""
        names, i, extent = [self.fresh("c"), self.fresh("c")], self.fresh("i"), self.pick(*self.extents)
        is_float = self.chance(0.6)
        lines = [f"{name} = {self.leaf(scope, whole=not is_float)}" for name in names]
        inner = scope
        for name in names:
            inner = inner.with_number(Number(name, is_float))
        after = inner
        inner = inner.with_counter(over(extent, name=i))
        body = [line for _ in range(2) for line in (self.update(inner)[0] if self.chance(0.6) else self.store(inner))]
        return [*lines, f"for {i} in range({extent}):", *indent(body)], after

    def flag(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a truth value into a variable, and use it."""
        name = self.fresh("f")
        array = self.pick(*scope.arrays)
        place = self.place(scope, array)
        if place is None:
            return ["pass"], scope
        whole = not array.is_float
        use = self.pick(
            f"if {name}:\n    {place} = {self.leaf(scope, whole=whole)}",
            f"{place} = {self.leaf(scope, whole=whole)} if not {name} else {place}",
            f"{place} = {name}" if not array.is_list else "pass",
        )
        return [f"{name} = {self.condition(scope, 1)}", *use.split("\n")], scope

    def helped(self, scope: Scope) -> tuple[list[str], Scope]:
        """Call a helper that returns in several places, in the middle of an expression."""
        arrays = [a for a in scope.arrays if a.dtype in ("float64", "int64")]
        if not arrays:
            return ["pass"], scope
        self.has_pure_helper = True
        array = self.pick(*arrays)
        place = self.place(scope, array)
        if place is None:
            return ["pass"], scope
        whole = not array.is_float
        given = self.leaf(scope, whole=whole)
        call = self.pick(f"chosen({given})", f"chosen({given}, 3)", f"chosen(w=1, v={given})")
        return [f"{place} = {call} - {self.leaf(scope, whole=whole)}"], scope

    def skipping(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a loop whose body ends early by chance."""
        i, extent = self.fresh("i"), self.pick(*self.extents)
        inner = scope.with_counter(over(extent, name=i))
        body = [f"if {self.condition(inner, 0)}:", "    continue", *self.store(inner)]
        return [f"for {i} in range({extent}):", *indent(body)], scope

    def triangle(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a loop up to another loop's variable, or on from it."""
        outer, j = self.pick(*scope.counters), self.fresh("i")
        head = self.pick(f"range({outer.low}, {outer.name})", f"range({outer.name}, {outer.extent} - {outer.high})")
        inner = scope.with_counter(Counter(j, outer.extent, outer.low, outer.high))
        return [f"for {j} in {head}:", *indent(self.store(inner))], scope

    def row(self, scope: Scope) -> tuple[list[str], Scope]:
        """Give the row of a matrix a name inside of a loop, and store into it."""
        arrays = [a for a in scope.arrays if len(a.shape) > 1]
        fitting = [(a, c) for a in arrays for c in scope.counters if c.extent == a.shape[0]]
        if not fitting:
            return ["pass"], scope
        array, counter = self.pick(*fitting)
        name = self.fresh("r")
        known = scope.with_array(Array(name, array.dtype, array.shape[1:], array.is_list, base=array.name))
        return [f"{name} = {array.name}[{counter.name}]", *self.store(known)], known

    def rows(self, scope: Scope) -> tuple[list[str], Scope]:
        """Write a loop over the rows of a matrix."""
        arrays = [a for a in scope.arrays if len(a.shape) > 1]
        if not arrays:
            return ["pass"], scope
        array, name = self.pick(*arrays), self.fresh("r")
        row = Array(name, array.dtype, array.shape[1:], array.is_list, base=array.name)
        body = self.store(scope.with_array(row))
        if not array.is_list and array.is_float and self.chance(0.4):
            body = [f"{name} {self.pick('+=', '-=')} {self.pick('1', array.name + '[0]', name + '[::-1]')}"]
        return [f"for {name} in {array.name}:", *indent(body)], scope

    def masked(self, scope: Scope) -> tuple[list[str], Scope]:
        """Store under a mask, or put new axes into an index."""
        arrays = [a for a in scope.arrays if not a.is_list and a.dtype in ("float64", "int64")]
        if not arrays:
            return ["pass"], scope
        array, name = self.pick(*arrays), self.fresh("k")
        test = f"{array.name} {self.pick('<', '>=', '==')} {self.pick('1', array.name + '[::-1]', array.name + '[0]')}"
        if len(array.shape) > 1:
            test = f"{array.name} > 1"
        value = self.leaf(scope, whole=not array.is_float)
        if self.chance(0.3):
            return [f"{name} = {test}", f"{array.name}[~{name}] = {value}"], scope
        return [f"{array.name}[{test}] {self.pick('=', '+=', '-=')} {value}"], scope

    def typed(self, scope: Scope) -> tuple[list[str], Scope]:
        """Make an array of a type, and fill it from others of its extent."""
        name, extent = self.fresh("w"), self.pick(*self.extents)
        dtype = self.pick("float64", "int64", "float32", "int32")
        made = Array(name, dtype, (extent,))
        i, inner = self.fresh("i"), scope.with_array(made)
        item = self.exact(inner.with_counter(over(extent, name=i)), 1, whole=not made.is_float)
        lines = [f"{name} = np.zeros({extent}, dtype=np.{dtype})", f"for {i} in range({extent}):"]
        return [*lines, f"    {name}[{i}] = {item}"], inner
