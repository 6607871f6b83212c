"""Text and positions: the only reader of a workspace's files, and the canonical YAML writer."""
