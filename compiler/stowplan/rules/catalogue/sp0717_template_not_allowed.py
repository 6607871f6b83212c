"""Operation that templates of a workspace may not use.

## What it checks

Templates of the workspace run in a sandbox: attributes of values beyond their data, calls beyond a short list, and
formatting are not available.

## Why it matters

A template comes with a pull request and is rendered in CI, where credentials are. `{{ x.__class__ }}` is how one gets
from a template to the machine.

## Example

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace.__class__ }}  # error
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

- [Jinja, sandbox](https://jinja.palletsprojects.com/en/stable/sandbox/)
- [CWE-1336: template engine injection](https://cwe.mitre.org/data/definitions/1336.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0717", "template-not-allowed", Level.ERROR, since="0.1")
