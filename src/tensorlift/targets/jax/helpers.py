"""Functions that texts for JAX define themselves.

Sums of segments that follow each other are sums by the number of the segment.  Of integers, which wrap, those of any
segments are differences of running sums.  So are those of reals whose segments overlap or are not in order; what is
not finite is added apart, as it must not reach other segments.

The greatest of any segment is that of two stretches of one length, a power of two, which may overlap.
"""

_SUMS = '''@jax.jit
def segment_sums(x, low, high):
    """Sums of x[low[i]:high[i]]."""
    rows, cells = low.shape[0], x.shape[0]

    def differences(v):
        running = jnp.pad(jnp.cumsum(v, axis=0, dtype=v.dtype), [(1, 0)] + [(0, 0)] * (v.ndim - 1))
        return running[high] - running[low]

    def in_any_order():
        odd = jnp.stack([x == jnp.inf, x == -jnp.inf, jnp.isnan(x)], axis=-1)
        odd = differences(odd.astype(low.dtype)) > 0
        sums = differences(jnp.where(jnp.isfinite(x), x, 0))
        return sums + jnp.where(odd, jnp.array([jnp.inf, -jnp.inf, jnp.nan], x.dtype), 0).sum(-1)

    def in_order():
        row = jnp.cumsum(jnp.zeros(cells + 1, low.dtype).at[low].add(1))[:-1] - 1
        is_inside = (row >= 0) & (jnp.arange(cells) < high[row])
        return jax.ops.segment_sum(x, jnp.where(is_inside, row, rows), rows)

    if rows == 0 or jnp.issubdtype(x.dtype, jnp.integer):
        sums = differences(x)
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


HELPERS = {
    "segment_sums": _SUMS,
    "segment_max": _extreme("max", "-jnp.inf", "min"),
    "segment_min": _extreme("min", "jnp.inf", "max"),
}
