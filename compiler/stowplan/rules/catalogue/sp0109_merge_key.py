"""Merge key `<<`, which YAML 1.2 does not have.

## What it checks

No mapping has the plain key `<<`. In quotes it is a key like any other.

## Why it matters

YAML 1.1 and Kubernetes put the entries of another mapping here, YAML 1.2 reads a key named `<<`. Which entry wins
where both mappings have it differs between readers again, and a reviewer has to merge in the head.

## Example

```yaml fleet/tenants.yaml
small: &small {gpus: 8, weight: 1}
large:
  <<: *small  # error
  gpus: 64
```

## Use instead

```yaml fleet/tenants.yaml
small: {gpus: 8, weight: 1}
large: {gpus: 64, weight: 1}
```

## References

- [YAML 1.1 merge keys](https://yaml.org/type/merge.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0109", "merge-key", Level.ERROR, since="0.1", stage=Stage.SOURCE)
