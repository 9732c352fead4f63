"""Random programs that mix element types: widths, signs, conversions, booleans, single and double precision."""
