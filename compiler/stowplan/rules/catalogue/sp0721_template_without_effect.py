"""Template of the workspace that replaces nothing and that no other template includes.

## What it checks

A file below `templates/` of the workspace bears the name of a built-in template, which it replaces, or is named in
another template of the workspace.

## Why it matters

A misspelt name replaces nothing: the built-in template is used on, and the author believes otherwise.

## Example

```yaml templates/tenancy/namespaces.yaml.j2
apiVersion: v1  # error
kind: Namespace
metadata:
  name: {{ namespace }}
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

RULE = Rule("SP0721", "template-without-effect", Level.WARN, since="0.1")
