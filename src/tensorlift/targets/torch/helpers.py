"""Functions that texts for PyTorch define themselves."""

_PLACES = """    lengths = (high - low).clamp(min=0)
    rows = torch.repeat_interleave(lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(rows.shape[0], device=x.device) + (low - before)[rows]
"""

_SUMS = f'''def segment_sums(x, low, high):
    """Sums of x[low[i]:high[i]]."""
{_PLACES}    sums = x.new_zeros((low.shape[0], *x.shape[1:]))
    return sums.index_add_(0, rows, x[places])
'''


def _extreme(op: str, infinite: str, last: str) -> str:
    return f'''def segment_{op}(x, low, high):
    """The {op}imum of x[low[i]:high[i]]."""
{_PLACES}    neutral = {infinite} if x.is_floating_point() else torch.iinfo(x.dtype).{last}
    nothing = x.new_full((low.shape[0], *x.shape[1:]), neutral)
    cells = x[places]
    rows = rows.long().reshape(-1, *[1] * (x.ndim - 1)).expand_as(cells)
    return nothing.scatter_reduce_(0, rows, cells, "a{op}")
'''


_SPREAD_SUMS = f'''def spread_sums(x, low, high, cells):
    """Sums, at each place p of so many cells, of x[i] where low[i] <= p < high[i]."""
{_PLACES}    return x.new_zeros((cells, *x.shape[1:])).index_add_(0, places, x[rows])
'''

_SPREAD_PRODUCTS = f'''def spread_products(x, low, high, cells):
    """Products, at each place p of so many cells, of x[i] where low[i] <= p < high[i]."""
{_PLACES}    places = places.long().reshape(-1, *[1] * (x.ndim - 1)).expand_as(x[rows])
    return x.new_ones((cells, *x.shape[1:])).scatter_reduce_(0, places, x[rows], "prod")
'''

HELPERS = {
    "spread_sums": _SPREAD_SUMS,
    "spread_products": _SPREAD_PRODUCTS,
    "segment_sums": _SUMS,
    "segment_max": _extreme("max", "-torch.inf", "min"),
    "segment_min": _extreme("min", "torch.inf", "max"),
}
