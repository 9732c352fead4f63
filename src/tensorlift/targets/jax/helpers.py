"""Functions that texts for JAX define themselves.

Sums of segments that follow each other are sums by the number of the segment.  Of integers, which wrap, those of any
segments are differences of running sums.  Reals would lose to a large one elsewhere what is small: a segment that
overlaps others, or is not in order, is the sum of stretches whose lengths are the powers of two that its own has.

The greatest of any segment is that of two stretches of one length, a power of two, which may overlap.

XLA takes n log n operations for a running fold, which suits accelerators; on a CPU a scan is five to fifty times as
fast, if not more than four iterations are unrolled: larger bodies are no longer compiled as one function.
"""

_SUMS = '''@jax.jit
def segment_sums(x, low, high):
    """Sums of x[low[i]:high[i]]."""
    rows, cells = low.shape[0], x.shape[0]

    def differences():
        running = jnp.pad(jnp.cumsum(x, axis=0, dtype=x.dtype), [(1, 0)] + [(0, 0)] * (x.ndim - 1))
        return running[high] - running[low]

    def in_any_order():
        sums = jnp.zeros((rows, *x.shape[1:]), x.dtype)
        stretches, first, width = x, low, 1
        while width <= cells:
            is_part = (high - low) & width > 0
            sums += jnp.where(is_part.reshape(rows, *[1] * (x.ndim - 1)), stretches[first], 0)
            first += jnp.where(is_part, width, 0)
            stretches = stretches[:-width] + stretches[width:]
            width *= 2
        return sums

    def in_order():
        row = jnp.cumsum(jnp.zeros(cells + 1, low.dtype).at[low].add(1))[:-1] - 1
        is_inside = (row >= 0) & (jnp.arange(cells) < high[row])
        return jax.ops.segment_sum(x, jnp.where(is_inside, row, rows), rows)

    if rows == 0 or jnp.issubdtype(x.dtype, jnp.integer):
        sums = differences()
    else:
        is_ordered = (low <= high).all() & (high[:-1] <= low[1:]).all()
        sums = lax.cond(is_ordered, in_order, in_any_order)
    return jnp.where((low < high).reshape(rows, *[1] * (x.ndim - 1)), sums, 0)
'''


def _extreme(op: str, infinite: str, last: str) -> str:
    return f'''@jax.jit
def segment_{op}(x, low, high):
    """The {op}imum of x[low[i]:high[i]]."""
    rows, cells, lengths = low.shape[0], x.shape[0], high - low
    neutral = {infinite} if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).{last}
    nothing = jnp.full((rows, *x.shape[1:]), neutral, x.dtype)

    def in_any_order():
        found, stretches, width = nothing, x, 1
        while width <= cells:
            is_between = (width <= lengths) & (lengths < 2 * width)
            both = jnp.{op}imum(stretches[low], stretches[high - width])
            found = jnp.where(is_between.reshape(rows, *[1] * (x.ndim - 1)), both, found)
            stretches = jnp.{op}imum(stretches[:-width], stretches[width:])
            width *= 2
        return found

    def in_order():
        row = jnp.cumsum(jnp.zeros(cells + 1, low.dtype).at[low].add(1))[:-1] - 1
        is_inside = (row >= 0) & (jnp.arange(cells) < high[row])
        return nothing.at[jnp.where(is_inside, row, rows)].{op}(x)

    if rows == 0:
        return nothing
    is_ordered = (low <= high).all() & (high[:-1] <= low[1:]).all()
    return lax.cond(is_ordered, in_order, in_any_order)
'''


def _running(name: str, whole: str, cell: str, first: str) -> str:
    return f'''@jax.jit
def {name}(x):
    """Running folds along the first axis; a loop on a CPU, where it is faster."""
    if jax.default_backend() != "cpu":
        return {whole}

    def step(last, row):
        last = {cell}
        return last, last

    first = {first}
    return lax.scan(step, jnp.full(x.shape[1:], first, x.dtype), x, unroll=4)[1]
'''


def _running_extreme(op: str, infinite: str, last: str) -> str:
    first = f"{infinite} if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).{last}"
    return _running(f"running_{op}", f"lax.cum{op}(x)", f"jnp.{op}imum(last, row)", first)


_LATEST = '''@jax.jit
def latest(x, kept):
    """The cell of x at the last place, up to each, where one is kept; x[0] before the first."""
    if jax.default_backend() != "cpu":
        return x[lax.cummax(jnp.where(kept, jnp.arange(x.shape[0]), 0))]

    def step(last, cell):
        value, is_kept = cell
        last = jnp.where(is_kept, value, last)
        return last, last

    return lax.scan(step, x[0], (x, kept), unroll=4)[1] if x.shape[0] > 0 else x
'''


HELPERS = {
    "running_sum": _running("running_sum", "jnp.cumsum(x, axis=0, dtype=x.dtype)", "last + row", "0"),
    "running_max": _running_extreme("max", "-jnp.inf", "min"),
    "running_min": _running_extreme("min", "jnp.inf", "max"),
    "latest": _LATEST,
    "segment_sums": _SUMS,
    "segment_max": _extreme("max", "-jnp.inf", "min"),
    "segment_min": _extreme("min", "jnp.inf", "max"),
}
