"""Judges whether a workload could ever run on a cluster and flavor: all predicates, for every pair, with reasons."""

from stowplan.passes.eligibility.evaluate import check_eligibility

__all__ = ["check_eligibility"]
