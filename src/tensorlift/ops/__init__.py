"""Element types, scalar operations and conversions: one table each, from which everything else reads what they mean."""
