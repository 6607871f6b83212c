"""Alias that refers to nothing, or to what it is itself a part of.

## What it checks

Each `*name` follows an `&name` of the same document, outside of what that anchor marks.

## Why it matters

An undefined alias is often text that starts with `*` and lacks quotes. An alias inside its own anchor makes a value
without an end, which cannot be written as a manifest.

## Example

```yaml fleet/tenants.yaml
domains: *all  # error
```

## Use instead

```yaml fleet/tenants.yaml
domains: "*all"
```

## References

- [YAML 1.2.2, 7.1 Alias nodes](https://yaml.org/spec/1.2.2/#71-alias-nodes)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0110", "unusable-alias", Level.ERROR, since="0.1", stage=Stage.SOURCE)
