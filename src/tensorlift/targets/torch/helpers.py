"""Functions that texts for PyTorch define themselves."""

SEGMENT_SUMS = '''def segment_sums(x, low, high):
    """Sums of x[low[i]:high[i]]."""
    lengths = (high - low).clamp(min=0)
    rows = torch.repeat_interleave(lengths)
    before = lengths.cumsum(0) - lengths
    places = torch.arange(rows.shape[0], device=x.device) + (low - before)[rows]
    sums = x.new_zeros((low.shape[0], *x.shape[1:]))
    return sums.index_add_(0, rows, x[places])
'''
