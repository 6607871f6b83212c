"""Policy on a worker that changes mirrored jobs.

## What it checks

No mutating policy or webhook rendered for a worker takes kinds of jobs without leaving out what carries the label
`kueue.x-k8s.io/multikueue-origin`.

## Why it matters

A job that differs from the Workload it was admitted with is evicted, dispatched again, changed again, and so on.

## Example

```yaml fleet/components/north/sidecars.yaml
apiVersion: admissionregistration.k8s.io/v1  # error
kind: MutatingWebhookConfiguration
metadata:
  name: sidecars
webhooks:
  - name: sidecars.example.com
    admissionReviewVersions: [v1]
    clientConfig: {url: "https://sidecars.example.com/mutate"}
    failurePolicy: Fail
    matchPolicy: Equivalent
    namespaceSelector: {}
    objectSelector: {}
    reinvocationPolicy: Never
    rules:
      - {apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs], scope: Namespaced}
    sideEffects: None
    timeoutSeconds: 10
```

## Use instead

```yaml fleet/components/north/sidecars.yaml
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: sidecars
webhooks:
  - name: sidecars.example.com
    admissionReviewVersions: [v1]
    clientConfig: {url: "https://sidecars.example.com/mutate"}
    failurePolicy: Fail
    matchPolicy: Equivalent
    namespaceSelector: {}
    objectSelector:
      matchExpressions: [{key: kueue.x-k8s.io/multikueue-origin, operator: DoesNotExist}]
    reinvocationPolicy: Never
    rules:
      - {apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs], scope: Namespaced}
    sideEffects: None
    timeoutSeconds: 10
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2059", "mutated-on-worker", Level.WARN, since="0.1", stage=Stage.KUEUE)
