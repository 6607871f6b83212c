"""Expression of a template that fails.

## What it checks

Every expression of a template can be computed from the values that it is given.

## Why it matters

Templates format, they do not decide: an expression that can fail on some cluster belongs into the input, where it is
checked for all of them.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace / 2 }}  # error
  labels: {{ labels }}
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

- [Jinja, template designer documentation](https://jinja.palletsprojects.com/en/stable/templates/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0713", "expression-fails", Level.ERROR, since="0.1")
