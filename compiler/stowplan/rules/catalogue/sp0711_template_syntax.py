"""Template that is no Jinja.

## What it checks

A template parses: tags are closed, filters and tests exist, expressions are complete. The line is that of the
template.

## Why it matters

A workspace overrides a built-in template by having one of the same name. What does not parse is found before anything
is rendered, also where no object uses it yet.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace | dns }}  # error
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

RULE = Rule("SP0711", "template-syntax", Level.ERROR, since="0.1")
