"""Functions that texts for JAX define themselves.

Sums of segments that follow each other are sums by the number of the segment.  Of integers, which wrap, those of any
segments are differences of running sums.  So are those of reals whose segments overlap or are not in order; what is
not finite is added apart, as it must not reach other segments.
"""

SEGMENT_SUMS = '''@jax.jit
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
