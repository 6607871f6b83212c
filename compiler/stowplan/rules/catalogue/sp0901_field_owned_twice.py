"""Field that Git renders and a controller writes at run time.

## What it checks

Every rendered object is taken apart into the units that one writer owns: single values, and lists and maps that the API
treats as one value. For each unit the atlas of run-time writers is asked which controllers write it in that cluster,
given the components installed there and what else is rendered for the object. A unit with a second writer is reported,
unless the ownership policy names both writers and a reason.

## Why it matters

Two writers of one field never come to rest. The engine puts its value back at every sync, the controller puts its own
back at once: pods are restarted, jobs are suspended and resumed, replica counts go up and down.

## Example

A job with the label `kueue.x-k8s.io/queue-name` and the field

```text
spec:
  suspend: true
```

## Use instead

Leave the field to its controller: take it out of the template. Where both writers are wanted, say so in an
`OwnershipPolicy` under `sharedFields`, with the reason.

## References

- [Kubernetes, server-side apply: field management](https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0901", "field-owned-twice", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
