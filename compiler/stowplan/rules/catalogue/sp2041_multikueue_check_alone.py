"""MultiKueue check that is not alone.

## What it checks

A ClusterQueue has at most one MultiKueue check, for all of its flavors, and no provisioning check beside it.

## Why it matters

Kueue stops the queue (MultipleMultiKueueAdmissionChecks, MultiKueueAdmissionCheckAppliedPerFlavor,
MultiKueueWithProvisioningRequest).

## Example

```text
admissionChecks:
- name: speech-north        # MultiKueue
- name: provision-spot      # ProvisioningRequest
```

## Use instead

```text
admissionChecks:
- name: speech-north
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2041", "multikueue-check-alone", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
