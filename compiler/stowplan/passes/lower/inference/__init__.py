"""Inference services to manifests: model servers, endpoint pickers, pools, scaling, pre-warming, and routes."""

from stowplan.passes.lower.inference.lower import lower_inference

__all__ = ["lower_inference"]
