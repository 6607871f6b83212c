"""What the engines need to sync the tree: a kustomization a unit, Argo CD's and Flux's own objects."""

from stowplan.passes.gitops.engines import engine_kinds, lower_engines
from stowplan.passes.gitops.kustomizations import kustomizations

__all__ = ["engine_kinds", "kustomizations", "lower_engines"]
