"""The first half of the proof: that definitions say what the source computes."""
