r"""Object whose name cannot be a file name.

## What it checks

The file of an object is named by its kind, namespace and name. Each part is printable, not too long, and nothing that
a file system reserves.

## Why it matters

The rendered tree is checked out on Linux, macOS and Windows. A name that leads out of its folder would write where
nobody looks.

## Example

```jinja
metadata:
  name: {{ namespace }}\..\..\secrets
```

## Use instead

Take the name from the input: names there are DNS labels.

## References

- [CWE-22: path traversal](https://cwe.mitre.org/data/definitions/22.html)
- [Kubernetes, object names and IDs](https://kubernetes.io/docs/concepts/overview/working-with-objects/names/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0707", "unwritable-name", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
