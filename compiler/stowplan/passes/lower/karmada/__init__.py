"""What Karmada carries: templates, one policy that claims each of them, and overrides for what differs by member."""

from stowplan.passes.lower.karmada.fold import fold

__all__ = ["fold"]
