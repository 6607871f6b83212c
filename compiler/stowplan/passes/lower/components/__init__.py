"""Components: pieces of the platform baseline, one unit a component and cluster, with values of their own."""

from stowplan.passes.lower.components.lower import PLAIN, Components, lower_components
from stowplan.passes.lower.components.namespaces import component_namespaces
from stowplan.passes.lower.components.sources import component_problems

__all__ = ["PLAIN", "Components", "component_namespaces", "component_problems", "lower_components"]
