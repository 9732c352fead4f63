"""Functions that scientists write, in the manner of different people; each file's ``CASES`` make their arguments.

``REFUSED`` are those that do not lift, with the codes of their refusals; all others do, and equal their originals.
"""

REFUSED = {
    "median_of_three": "TL174",
    "black_scholes": "TL305",
    "interpolate": "TL524",
    "rdf": "TL406",
    "weighted_quantile_index": "TL174",
}
