"""What the engines need to sync the tree: a kustomization a unit, Argo CD's and Flux's own objects."""

from stowplan.passes.gitops.engines import lower_engines
from stowplan.passes.gitops.kustomizations import kustomizations

__all__ = ["kustomizations", "lower_engines"]
