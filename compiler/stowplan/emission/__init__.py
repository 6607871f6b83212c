"""Bring the rendered tree to disk: all of it or nothing, and nothing that is already there."""
