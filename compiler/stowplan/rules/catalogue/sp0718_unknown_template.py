"""Template that includes one which does not exist.

## What it checks

Templates that are included, imported or extended are built in, or lie below `templates/` of the workspace.

## Why it matters

The built-in templates may change their names with a version of the compiler. An include that finds nothing must not
render nothing.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
{% include 'tenancy/labels.yaml.j2' %}  # error
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

RULE = Rule("SP0718", "unknown-template", Level.ERROR, since="0.1")
