"""The cluster is under another jurisdiction.

## What it checks

The `jurisdiction` of the Cluster is among those that the intent and its tenant allow.

## Why it matters

Whose law applies to a machine is no matter of its latency. Regions and providers do not tell it; therefore every
cluster says it.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  jurisdictions: [EU]  # reason
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  jurisdictions: [US, EU]
```

## References

- [Regulation (EU) 2016/679, chapter V](https://eur-lex.europa.eu/eli/reg/2016/679/oj)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0516", "jurisdiction", Level.NOTE, since="0.1", stage=Stage.PLAN)
