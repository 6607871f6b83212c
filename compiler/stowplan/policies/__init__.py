"""Policies in CEL: placement rules and score terms, guardrails over rendered objects, exemptions, export."""
