"""Templates whose output is data: each distinct shape is parsed once, then filled."""
