"""Functions that texts for NumPy define themselves."""


def _spread(name: str, what: str, filled: str, op: str) -> str:
    return f'''def {name}(x, low, high, cells):
    """{what}, at each place p of so many cells, of x[i] where low[i] <= p < high[i]."""
    lengths = np.maximum(high - low, 0)
    rows = np.repeat(np.arange(lengths.shape[0]), lengths)
    before = np.cumsum(lengths) - lengths
    places = np.arange(rows.shape[0]) + (low - before)[rows]
    found = np.{filled}((cells, *x.shape[1:]), x.dtype)
    np.{op}.at(found, places, x[rows])
    return found
'''


HELPERS = {
    "spread_sums": _spread("spread_sums", "Sums", "zeros", "add"),
    "spread_products": _spread("spread_products", "Products", "ones", "multiply"),
}
