"""The index algebra: affine expressions, polynomials, domains over isl, and bounds that are proved."""
