"""Template whose text is no YAML, or ambiguous YAML.

## What it checks

What a template writes besides values is strict YAML: no key twice, no tabs, no tags, no scalar that YAML 1.1 and 1.2
read differently. Values take no part in this; they are data.

## Why it matters

Text templates make YAML by luck: an indentation that is off moves a field to another parent, and a duplicate key
drops one of the two.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
  labels: {{ labels }}
  name: {{ tenant }}  # error
spec: {}
```

## Use instead

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
  labels: {{ labels }}
spec: {}
```

## References

- [YAML 1.2.2, 3.2.1.3 Node comparison](https://yaml.org/spec/1.2.2/#3213-node-comparison)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0714", "template-not-yaml", Level.ERROR, since="0.1")
