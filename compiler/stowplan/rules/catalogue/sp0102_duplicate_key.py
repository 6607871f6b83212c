"""Key that its mapping has already.

## What it checks

No mapping has the same key twice, at any depth, in block or flow style.

## Why it matters

YAML asks for unique keys, but readers do not insist: most keep the last value, some the first, and the API server
refuses. A reviewer who sees both lines has to guess which one counts.

## Example

```yaml fleet/example.yaml
workers: {count: 4, accelerators: 8}
priority: normal
workers: {count: 8, accelerators: 8}  # error
```

## Use instead

```yaml fleet/example.yaml
workers: {count: 8, accelerators: 8}
priority: normal
```

## References

- [YAML 1.2.2, 3.2.1.3 Node comparison](https://yaml.org/spec/1.2.2/#3213-node-comparison)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0102", "duplicate-key", Level.ERROR, since="0.1", stage=Stage.SOURCE)
