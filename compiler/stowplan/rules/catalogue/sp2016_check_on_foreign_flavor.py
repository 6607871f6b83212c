"""Admission check on a flavor that its queue does not have.

## What it checks

`onFlavors` of a check in a ClusterQueue names flavors of the queue's resource groups.

## Why it matters

Kueue refuses the object.

## Example

```text
admissionChecks:
- name: provision
  onFlavors: [spot]    # the queue has h200 only
```

## Use instead

```text
admissionChecks:
- name: provision
  onFlavors: [h200]
```

## References

- [Kueue, admission checks](https://kueue.sigs.k8s.io/docs/concepts/admission_check/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2016", "check-on-foreign-flavor", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
