"""Object of a kind or version that its cluster does not serve.

## What it checks

The API version and kind of every rendered object is served by its target: by the Kubernetes minor of the Cluster, or
by the custom resource definitions known of it. Versions that are served are named.

## Why it matters

The engine stops at such an object with `no matches for kind`, and the rest of its unit with it. After an upgrade this
hits the versions that were removed, on the clusters that were upgraded first.

## Example

```yaml fleet/components/north/sweep.yaml
apiVersion: batch/v1beta1  # error
kind: CronJob
metadata:
  name: sweep
  namespace: speech
spec:
  concurrencyPolicy: Forbid
  failedJobsHistoryLimit: 1
  schedule: "0 3 * * *"
  successfulJobsHistoryLimit: 3
  suspend: true
  jobTemplate:
    metadata: {}
    spec:
      template:
        metadata: {}
        spec:
          containers:
            - name: sweep
              image: registry.example.com/sweep@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
              imagePullPolicy: IfNotPresent
              resources: {}
              terminationMessagePath: /dev/termination-log
              terminationMessagePolicy: File
          dnsPolicy: ClusterFirst
          restartPolicy: Never
          schedulerName: default-scheduler
          securityContext: {}
          terminationGracePeriodSeconds: 30
```

## Use instead

```yaml fleet/components/north/sweep.yaml
apiVersion: batch/v1
kind: CronJob
metadata:
  name: sweep
  namespace: speech
spec:
  concurrencyPolicy: Forbid
  failedJobsHistoryLimit: 1
  schedule: "0 3 * * *"
  successfulJobsHistoryLimit: 3
  suspend: true
  jobTemplate:
    metadata: {}
    spec:
      template:
        metadata: {}
        spec:
          containers:
            - name: sweep
              image: registry.example.com/sweep@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
              imagePullPolicy: IfNotPresent
              resources: {}
              terminationMessagePath: /dev/termination-log
              terminationMessagePolicy: File
          dnsPolicy: ClusterFirst
          restartPolicy: Never
          schedulerName: default-scheduler
          securityContext: {}
          terminationGracePeriodSeconds: 30
```

## References

- [Kubernetes, deprecated API migration guide](https://kubernetes.io/docs/reference/using-api/deprecation-guide/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0801", "kind-not-served", Level.ERROR, since="0.1", stage=Stage.KUEUE)
