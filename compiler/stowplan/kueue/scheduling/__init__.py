"""Kueue's scheduler as a model over plain values: what it would admit, where, and whom it would preempt for it."""
