"""Deployment through MultiKueue.

## What it checks

No Deployment's queue dispatches through MultiKueue.

## Why it matters

MultiKueue sees the pods one by one: replicas land on several clusters, and nothing keeps them together.

## Example

```yaml fleet/components/hub/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: north}  # error, SP0907
spec:
  progressDeadlineSeconds: 600
  replicas: 2
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          imagePullPolicy: IfNotPresent
          resources: {requests: {cpu: "4", memory: 16Gi}}
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
```

## Use instead

```yaml fleet/components/north/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  progressDeadlineSeconds: 600
  replicas: 2
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          imagePullPolicy: IfNotPresent
          resources: {requests: {cpu: "4", memory: 16Gi}}
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2092", "deployment-dispatched", Level.ERROR, since="0.1", stage=Stage.KUEUE)
