"""Kueue as a model: what rendered queues and jobs mean, what would be admitted, and rules on both."""
