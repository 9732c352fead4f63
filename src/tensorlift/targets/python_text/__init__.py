"""Writing programs as Python text: what the emitters of all array libraries share."""
