"""The phrases that random irregular functions are made of: a loop nest each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.random_irregular.writer import COUNTED, INPUTS, OUTPUTS, in_python

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.random_irregular.writer import Writer


def elementwise(writer: Writer) -> None:
    """Write reads at any places, under a condition or not."""
    i = writer.loop()
    guarded = writer.chance(0.4)
    if guarded:
        writer.test(writer.condition(i))
    writer.put(f"{writer.rng.choice(OUTPUTS)}[{i}] = {writer.value(i)};")
    if guarded:
        writer.close()
    writer.close()


def scatter(writer: Writer) -> None:
    """Write a loop of stores at places that depend on data."""
    i = writer.loop()
    guarded = writer.chance(0.3)
    if guarded:
        writer.test(writer.condition(i))
    writer.store(i)
    if guarded:
        writer.close()
    writer.close()


def counter(writer: Writer) -> None:
    """Write a loop that counts under a condition, and stores or reads at the count."""
    rng, k = writer.rng, writer.integer("0")
    i = writer.loop()
    writer.test(writer.condition(i))
    kind = rng.randrange(4)
    if kind == 0:
        writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {rng.choice(INPUTS)}[{k}];")
    elif kind < 3:  # noqa: PLR2004 - how often
        writer.put(f"{rng.choice(OUTPUTS)}[{k}] = {writer.value(i)};")
    writer.put(f"{k}++;")
    if writer.chance(0.2):
        writer.otherwise()
        writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {writer.value(i)};")
    writer.close()
    writer.close()


def carry(writer: Writer) -> None:
    """Write a loop that carries a number, under a condition or not."""
    rng = writer.rng
    r = writer.real(rng.choice(("0.0", "t", "x[0]")))
    writer.numbers.remove(r)
    i = writer.loop()
    updates = [
        f"{r} = {rng.choice(('t', '0.5', f'y[{i}]'))} * {r} + {writer.value(i)};",
        f"{r} = {writer.value(i)};",
        f"{r} += {writer.value(i)};",
    ]
    if writer.chance(0.3):
        writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {r};")
    guarded = writer.chance(0.6)
    if guarded:
        writer.test(rng.choice((writer.condition(i), f"x[{i}] > {r}", f"{r} < t")))
    writer.put(rng.choice(updates))
    if guarded and writer.chance(0.3):
        writer.otherwise()
        writer.put(rng.choice((f"{r} = 0.0;", f"{r} = {r} * 0.5;", f"{r} = x[{i}];")))
    if guarded:
        writer.close()
    if writer.chance(0.7):
        writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {r};")
    writer.close()
    writer.numbers.append(r)


def exit_(writer: Writer) -> None:
    """Write a loop that ends early, before or after what it does."""
    rng = writer.rng
    r = writer.real("0.0")
    writer.numbers.remove(r)
    i = writer.loop()
    before = writer.chance(0.6)
    if before:
        writer.effect(i, r)
    writer.test(rng.choice((writer.condition(i), writer.condition(i), f"{r} > t")))
    if writer.chance(0.3):
        writer.effect(i, r)
    writer.put(rng.choice(("break;", "break;", "continue;")))
    writer.close()
    if not before or writer.chance(0.4):
        writer.effect(i, r)
    writer.close()
    writer.numbers.append(r)


def ragged(writer: Writer) -> None:
    """Write a nest whose inner bounds are data."""
    rng = writer.rng
    i = writer.loop()
    r = writer.real("0.0")
    writer.numbers.remove(r)
    writer.counters += 1
    p = f"p{writer.counters}"
    writer.put(f"for (int {p} = ptr[{i}]; {p} < ptr[{i} + 1]; {p}++) {{", f"for {p} in range(ptr[{i}], ptr[{i} + 1]):")
    writer.depth += 1
    writer.put(f"{r} += {rng.choice((f'x[{p}]', f'x[{p}] * y[at[{p}]]', f'x[{p}] * z[{i}]'))};")
    writer.close()
    writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {r};")
    writer.close()


def search(writer: Writer) -> None:
    """Write a search for an extreme with its place, or for the last hit."""
    rng = writer.rng
    k, r = writer.integer(rng.choice(("0", "-1"))), writer.real("x[0]")
    writer.numbers.remove(r)
    i = writer.loop()
    writer.test(rng.choice((f"x[{i}] {rng.choice(('<', '>', '<=', '>='))} {r}", writer.condition(i))))
    writer.put(f"{r} = x[{i}];")
    writer.put(f"{k} = {i};")
    writer.close()
    writer.close()
    writer.numbers.append(r)


def converge(writer: Writer) -> None:
    """Write a loop that ends when its value does."""
    rng = writer.rng
    r, k = writer.real(rng.choice(("t", "x[0]"))), writer.integer("0")
    writer.put(f"while ({k} < 20 && fabs({r}) > 0.1) {{", f"while {k} < 20 and abs({r}) > 0.1:")
    writer.depth += 1
    writer.put(rng.choice((f"{r} = {r} * 0.5;", f"{r} = {r} - 0.3 * {r} * {r};", f"{r} = 0.5 * ({r} + t);")))
    writer.put(f"{k}++;")
    writer.close()
    if writer.chance(0.5):
        i = writer.loop()
        writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {r} * x[{i}];")
        writer.close()


def mixed(writer: Writer) -> None:
    """Write two effects of any kind into one loop."""
    rng = writer.rng
    r, k = writer.real("0.0"), writer.integer("0")
    writer.numbers.remove(r)
    i = writer.loop()
    for _ in range(2):
        guarded = writer.chance(0.5)
        if guarded:
            writer.test(writer.condition(i))
        rng.choice((
            lambda: writer.store(i),
            lambda: writer.effect(i, r),
            lambda: writer.put(f"{k}++;"),
            lambda: writer.put(f"{r} = {writer.value(i)};"),
        ))()  # fmt: skip
        if guarded:
            writer.close()
    writer.close()
    writer.numbers.append(r)


def window(writer: Writer) -> None:
    """Write a sum over neighbours, which stops, wraps or is clamped at the ends."""
    rng, out = writer.rng, writer.rng.choice(OUTPUTS)
    kind, wide = rng.choice(("inner", "checked", "wrapped", "clamped", "guarded")), rng.choice((1, 1, 2))
    i = writer.loop(str(wide), f"n - {wide}") if kind == "inner" else writer.loop()
    if kind == "guarded":
        writer.test(f"{i} >= {wide} && {i} < n - {wide}")
    if kind in {"inner", "guarded"}:
        writer.put(f"{out}[{i}] = 0.5 * x[{i} - {wide}] + y[{i}] * x[{i} + {wide}];")
    else:
        r, j = writer.real("0.0"), writer.fresh("j")
        writer.numbers.remove(r)
        writer.put(f"for (int {j} = -{wide}; {j} <= {wide}; {j}++) {{", f"for {j} in range(-{wide}, {wide + 1}):")
        writer.depth += 1
        if kind == "checked":
            writer.test(f"{i} + {j} >= 0 && {i} + {j} < n")
        wrapped, clamped = f"({i} + {j} + n) % n", f"MAX(0, MIN({i} + {j}, n - 1))"
        place = {"checked": f"{i} + {j}", "wrapped": wrapped, "clamped": clamped}[kind]
        writer.put(f"{r} += x[{place}] * {rng.choice((f'y[{j} + {wide}]', 't', f'z[{i}]'))};")
        if kind == "checked":
            writer.close()
        writer.close()
        writer.put(f"{out}[{i}] = {r};")
    if kind == "guarded":
        writer.otherwise()
        writer.put(f"{out}[{i}] = {rng.choice(('0.0', f'x[{i}]', 't'))};")
        writer.close()
    writer.close()


def chain(writer: Writer) -> None:
    """Write a loop in which a cell needs others of its array, at a distance."""
    rng, out, by = writer.rng, writer.rng.choice(OUTPUTS), writer.rng.choice((1, 1, 2, 3))
    if writer.chance(0.2):
        i = writer.fresh("i")
        writer.put(f"for (int {i} = n - 1 - {by}; {i} >= 0; {i}--) {{", f"for {i} in range(n - 1 - {by}, -1, -1):")
        writer.depth += 1
        before = f"{out}[{i} + {by}]"
    else:
        i = writer.loop(str(by))
        before = f"{out}[{i} - {by}]"
    guarded = writer.chance(0.3)
    if guarded:
        writer.test(writer.condition(i))
    writer.put(
        rng.choice(
            (
                f"{out}[{i}] = {rng.choice(('0.5', 't', f'y[{i}]'))} * {before} + x[{i}];",
                f"{out}[{i}] = {before} + {writer.value(i, 2)};",
                f"{out}[{i}] = fmax({before}, x[{i}]);",
                f"{out}[{i}] += {before};",
                f"{out}[{i}] = x[{i}] > t ? x[{i}] : {before};",
            )
        )
    )
    if guarded:
        writer.close()
    writer.close()


def wavefront(writer: Writer) -> None:
    """Write a nest in which a cell needs its neighbours above and to the left."""
    rng, i, j = writer.rng, writer.loop("1"), writer.loop("1", "m")
    up, left, across = f"B[{i} - 1][{j}]", f"B[{i}][{j} - 1]", f"B[{i} - 1][{j} - 1]"
    if writer.chance(0.3):
        writer.test(rng.choice((f"x[{i}] > y[{j}]", f"A[{i}][{j}] > t", f"key[{i}] == at[{j}]")))
        writer.put(f"B[{i}][{j}] = {across} {rng.choice(('+ 1.0', '', f'* x[{i}]'))};".replace(" ;", ";"))
        writer.otherwise()
        writer.put(f"B[{i}][{j}] = {rng.choice((f'fmax({up}, {left})', f'{up} + 0.5 * {left}'))};")
        writer.close()
    else:
        costs = (f"A[{i}][{j}] + fmin({up}, {left})", f"0.25 * ({up} + {left}) + x[{i}] * y[{j}]")
        writer.put(
            f"B[{i}][{j}] = {rng.choice((*costs, f'{up} - {left} * t', f'fmin({across}, fmin({up}, {left}))'))};"
        )
    writer.close()
    writer.close()


def table(writer: Writer) -> None:
    """Write a search for an extreme or for a hit in two dimensions, with its place."""
    rng, p, q = writer.rng, writer.integer("-1"), writer.integer(writer.rng.choice(("0", "-1")))
    r = writer.real(rng.choice(("A[0][0]", "0.0", "t")))
    writer.numbers.remove(r)
    i, j = writer.loop(), writer.loop("0", "m")
    value = rng.choice((f"A[{i}][{j}]", f"A[{i}][{j}] * y[{i}]", f"fabs(A[{i}][{j}])"))
    writer.test(rng.choice((f"{value} {rng.choice(('<', '>', '<=', '>='))} {r}", f"{value} > t")))
    for text in (f"{r} = {value};", f"{p} = {i};", f"{q} = {j};"):
        writer.put(text)
    if writer.chance(0.2):
        writer.put("break;")
    for _ in range(3):
        writer.close()
    writer.numbers.append(r)


def packing(writer: Writer) -> None:
    """Write a loop that stores what fulfils one of several conditions, at one count or at several."""
    rng, k = writer.rng, writer.integer("0")
    other = writer.integer("0") if writer.chance(0.5) else k
    one = rng.choice(OUTPUTS)
    two = one if other == k else next(name for name in OUTPUTS if name != one)
    i = writer.loop()
    writer.test(writer.condition(i))
    nested = writer.chance(0.3)
    if nested:
        writer.test(writer.condition(i))
    writer.put(f"{one}[{k}] = {writer.value(i, 2)};")
    writer.put(f"{k}++;")
    if nested:
        writer.close()
    if writer.chance(0.5):
        writer.otherwise()
    else:
        writer.close()
        writer.test(writer.condition(i))
    writer.put(f"{two}[{other}] = {writer.value(i, 2)};")
    writer.put(f"{other}++;")
    writer.close()
    writer.close()


def pairs(writer: Writer) -> None:
    """Write a loop over complex numbers that are pairs of neighbours."""
    rng, out, i = writer.rng, writer.rng.choice(OUTPUTS), writer.loop("0", "n / 2")
    re, im = f"2 * {i}", f"2 * {i} + 1"
    if writer.chance(0.3):
        writer.test(f"x[{re}] > t")
    other = rng.choice(("y", "y", "x"))
    products = (
        (f"x[{re}] * {other}[{re}]", f"x[{im}] * {other}[{im}]"),
        (f"x[{re}] * {other}[{im}]", f"x[{im}] * {other}[{re}]"),
    )
    signs = rng.choice(("-+", "+-"))
    for place, sign, (left, right) in zip((re, im), signs, products, strict=True):
        writer.put(f"{out}[{place}] {rng.choice(('=', '=', '+='))} {left} {sign} {right};")
    while writer.depth:
        writer.close()


def reset(writer: Writer) -> None:
    """Write a scan that starts anew, or saturates, where a condition holds."""
    rng, k, r = writer.rng, writer.integer("0"), writer.real(writer.rng.choice(("0.0", "x[0]", "t")))
    writer.numbers.remove(r)
    i = writer.loop()
    value = writer.value(i, 2)
    kind = rng.randrange(6)
    if kind < 3:  # noqa: PLR2004 - how often
        writer.test(writer.condition(i))
        writer.put(f"{r} = {rng.choice((f'x[{i}]', '0.0', f'z[{i}]'))};")
        writer.put(rng.choice((f"{k} = 0;", f"{k} = {i};", f"{k}++;")))
        writer.otherwise()
        writer.put((f"{r} = fmax({r}, {value});", f"{r} = fmin({value}, {r});", f"{r} += {value};")[kind])
        if writer.chance(0.5):
            writer.put(f"{k}++;")
        writer.close()
    elif kind == 3:  # noqa: PLR2004 - how often
        writer.put(f"{r} = fmax({r} + {value}, 0.0);")
    elif kind == 4:  # noqa: PLR2004 - how often
        writer.test(f"x[{i}] > {r}")
        writer.put(f"{r} = x[{i}];")
        writer.put(f"{k} = {i};")
        writer.close()
    else:
        writer.test(writer.condition(i))
        writer.put(f"{k} = MIN({k} + 1, 3);")
        writer.otherwise()
        writer.put(f"{k} = MAX({k} - 1, 0);")
        writer.close()
    writer.put(rng.choice((f"{rng.choice(OUTPUTS)}[{i}] = {r};", f"h[{i}] = {k};")))
    writer.close()
    writer.numbers.append(r)


def hit(writer: Writer) -> None:
    """Write a search for the first hit that takes its place and its value, in a whole array or in each row."""
    rng = writer.rng
    if writer.chance(0.3):
        i, j = writer.loop(), writer.loop("0", "m")
        writer.test(rng.choice((f"A[{i}][{j}] > t", f"A[{i}][{j}] < x[{i}]")))
        writer.put(f"h[{i}] = {j};")
        writer.put("break;")
        for _ in range(3):
            writer.close()
        return
    k, r = writer.integer(rng.choice(("-1", "n", "0"))), writer.real("t")
    writer.numbers.remove(r)
    if writer.chance(0.3):
        writer.put(f"{k} = 0;")
        writer.put(f"while ({k} < n && x[{k}] < t) {{", f"while {k} < n and x[{k}] < t:")
        writer.depth += 1
        writer.put(f"{k}++;")
        writer.close()
        writer.test(f"{k} < n")
        writer.put(f"{r} = y[{k}];")
    else:
        i = writer.loop()
        writer.test(writer.condition(i))
        writer.put(f"{k} = {i};")
        writer.put(f"{r} = {writer.value(i)};")
        writer.put("break;")
        writer.close()
    writer.close()
    writer.numbers.append(r)


def relax(writer: Writer) -> None:
    """Write a loop that goes on until an array changes little, or that halves a length."""
    rng, k = writer.rng, writer.integer("0")
    if writer.chance(0.3):
        size = writer.integer("n")
        writer.put(f"while ({size} > 1) {{", f"while {size} > 1:")
        writer.depth += 1
        writer.put(rng.choice((f"{size} = {size} / 2;", f"{size} = {size} - {size} / 3 - 1;")))
        writer.put(f"{k}++;")
        writer.close()
        return
    r, out = writer.real("1.0"), rng.choice(OUTPUTS)
    writer.put(f"while ({k} < 5 && {r} > 0.01) {{", f"while {k} < 5 and {r} > 0.01:")
    writer.depth += 1
    writer.put(f"{r} = 0.0;")
    i = writer.loop()
    change = rng.choice((f"0.5 * (x[{i}] - {out}[{i}])", f"0.25 * {out}[n - 1 - {i}]", f"x[{i}] * t - {out}[{i}]"))
    writer.put(f"{r} += fabs({change});")
    writer.put(f"{out}[{i}] += {change};")
    writer.close()
    writer.put(f"{k}++;")
    writer.close()


def domain(writer: Writer) -> None:
    """Write functions with a domain, under the conditions that keep them in it."""
    rng, out, i = writer.rng, writer.rng.choice(OUTPUTS), writer.loop()
    by = f"{rng.choice(INPUTS)}[{writer.index(i)}]"
    writer.test(f"{by} > {rng.choice(('0.0', '0.5'))}")
    writer.put(f"{out}[{i}] = {rng.choice((f'{writer.value(i, 2)} / {by}', f'sqrt({by})', f't / ({by} * {by})'))};")
    if writer.chance(0.5):
        writer.otherwise()
        if writer.chance(0.4):
            writer.test(f"y[{i}] > t")
            writer.put(f"{out}[{i}] = x[{i}];")
            writer.close()
        else:
            writer.put(f"{out}[{i}] = 0.0;")
    writer.close()
    writer.close()


def nest(writer: Writer) -> None:
    """Write a nest whose inner bounds follow the outer loop, are a tile, or the columns of a table."""
    rng, out, kind = writer.rng, writer.rng.choice(OUTPUTS), writer.rng.choice(("triangle", "tile", "rows", "ragged"))
    if kind == "tile":
        i, j = writer.fresh("i"), writer.fresh("i")
        writer.put(f"for (int {i} = 0; {i} < n; {i} += 4) {{", f"for {i} in range(0, n, 4):")
        writer.depth += 1
        end = f"MIN({i} + 4, n)"
        writer.put(f"for (int {j} = {i}; {j} < {end}; {j}++) {{", f"for {j} in range({i}, {in_python(end)}):")
        writer.depth += 1
        writer.put(f"{out}[{j}] {rng.choice(('=', '+='))} {writer.value(j, 2)};")
        writer.close()
        writer.close()
        return
    i = writer.loop()
    r = writer.real(rng.choice(("0.0", "t")))
    writer.numbers.remove(r)
    ends = {"triangle": ("0", i), "rows": ("0", "m"), "ragged": (f"ptr[{i}]", f"ptr[{i} + 1]")}
    j = writer.loop(*ends[kind])
    cell = {"triangle": f"x[{j}]", "rows": f"A[{i}][{j}]", "ragged": f"z[{j}]"}[kind]
    if writer.chance(0.4):
        writer.test(rng.choice((f"{cell} > t", f"y[{j}] < {cell}" if kind != "ragged" else f"{cell} > y[{i}]")))
        writer.put(rng.choice((f"{r} += {cell};", f"{r} = {cell};", f"{r} = fmax({r}, {cell} * t);")))
        if writer.chance(0.2):
            writer.put("break;")
        writer.close()
    else:
        writer.put(rng.choice((f"{r} += {cell} * y[{i}];", f"{r} = fmax({r}, {cell});", f"{r} = 0.5 * {r} + {cell};")))
    writer.close()
    writer.put(f"{out}[{i}] = {r};")
    writer.close()


def tally(writer: Writer) -> None:
    """Write a loop that counts, adds up or keeps the most of integers of any type at places."""
    rng = writer.rng
    writer.counted = rng.choice(tuple(COUNTED))
    i = writer.loop()
    cell, other = f"h[{rng.choice((f'at[{i}]', f'key[{i}]', f'at[{i}]', i))}]", f"{rng.choice(('at', 'key'))}[{i}]"
    guarded = writer.chance(0.4)
    if guarded:
        writer.test(rng.choice((writer.condition(i), f"{cell} < 7", f"{other} > 1")))
    update = rng.choice(("{} += 1", "{} += {}", "{} -= 3", "{} -= {}", "{0} = MAX({0}, {1})", "{0} = MIN({1}, {0})",
                         "{} ^= {}", "{0} = {0} * 3 + {1}", "{} |= {}"))  # fmt: skip
    writer.put(f"{update.format(cell, other)};")
    if guarded:
        writer.close()
    writer.close()
    if writer.chance(0.4):
        i = writer.loop()
        writer.put(f"{rng.choice(OUTPUTS)}[{i}] = {rng.choice((f'h[{i}]', f'h[{i}] * x[{i}]', f'h[at[{i}]] + t'))};")
        writer.close()


# How often each is written.
PHRASES: dict[Callable[[Writer], None], int] = {
    elementwise: 3,
    scatter: 3,
    counter: 4,
    carry: 4,
    exit_: 4,
    ragged: 2,
    search: 2,
    converge: 2,
    mixed: 4,
    window: 2,
    chain: 2,
    wavefront: 1,
    table: 3,
    packing: 3,
    pairs: 1,
    reset: 4,
    hit: 2,
    relax: 1,
    domain: 2,
    nest: 3,
    tally: 4,
}
