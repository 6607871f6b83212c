"""Admission check whose parameters lead nowhere.

## What it checks

A MultiKueue check names a MultiKueueConfig, a provisioning check a ProvisioningRequestConfig, each rendered for the
same API server and with a name of at most 63 characters without dots; a MultiKueueConfig names MultiKueueClusters
that there are.

## Why it matters

The check is inactive, and so is every queue that has it.

## Example

```yaml fleet/components/hub/check.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata:
  name: dispatch
spec:
  controllerName: kueue.x-k8s.io/multikueue
  parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: north}  # error
```

## Use instead

```yaml fleet/components/hub/check.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata:
  name: dispatch
spec:
  controllerName: kueue.x-k8s.io/multikueue
  parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: speech-north}
```

## References

- [Kueue, admission checks](https://kueue.sigs.k8s.io/docs/concepts/admission_check/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2040", "check-parameters", Level.ERROR, since="0.1", stage=Stage.KUEUE)
