"""The meaning language: affine index expressions, integer domains, terms, definitions and their normal form."""
