"""Drift: what is rendered against what lives in the clusters, field by field, with the live owner of each difference."""
