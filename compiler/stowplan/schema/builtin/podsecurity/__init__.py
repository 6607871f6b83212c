"""Pod Security as the server's own admission enforces it: the standards baseline and restricted, by version."""

from stowplan.schema.builtin.podsecurity.evaluation import evaluate
from stowplan.schema.builtin.podsecurity.labels import Levels, levels_of
from stowplan.schema.builtin.podsecurity.pod import Violation

__all__ = ["Levels", "Violation", "evaluate", "levels_of"]
