"""Template that does too much work.

## What it checks

A template of the workspace stays within fixed numbers of steps, characters and items. They are counted and not
measured, so that the same template fails at the same place on every machine.

## Why it matters

A loop over a large range in a reviewed-looking template would stop every compile of the fleet, in CI for hours.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
  labels: {{ labels }}
{% for i in range(100000000) %}{% endfor %}  # error
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

- [Jinja, sandbox](https://jinja.palletsprojects.com/en/stable/sandbox/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0716", "template-over-budget", Level.ERROR, since="0.1")
