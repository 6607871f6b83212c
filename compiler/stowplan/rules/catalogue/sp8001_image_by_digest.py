"""Container whose image is named by a tag.

## What it checks

The images of all containers in every rendered pod template end in `@sha256:` and a digest. Training runtimes are left
out: each job that uses one names its own image.

## Why it matters

A tag can be moved. What was reviewed is then not what runs, two nodes may run different things, and going back to the
old commit does not bring the old image back.

## Example

```yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: server
          image: registry.example/web:1.4
```

## Use instead

```yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
```

## References

- [Kubernetes, images](https://kubernetes.io/docs/concepts/containers/images/#image-names)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8001", "image-by-digest", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
