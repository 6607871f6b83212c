"""Value that cannot stand where the template puts it.

## What it checks

A value alone keeps its type, also lists and mappings; within a longer or a quoted scalar it is text, a number or a
boolean; as a key it is text, and differs from the other keys. Numbers are finite.

## Why it matters

A mapping pasted into a string is a dump of a programming language in a manifest. Values never become syntax here, so
nothing can be injected either.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: team-{{ labels }}  # error
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

RULE = Rule("SP0715", "value-out-of-place", Level.ERROR, since="0.1")
