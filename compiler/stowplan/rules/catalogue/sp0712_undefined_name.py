"""Name or field that the template's values do not have.

## What it checks

Every name and every field that a template reads is there, or is asked for with `default` or `is defined`. A similar
name is suggested.

## Why it matters

Jinja renders what is undefined as nothing. In a manifest this is an empty label, a limit that is absent, a selector
that matches everything.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namspace }}  # error
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

RULE = Rule("SP0712", "undefined-name", Level.ERROR, since="0.1")
