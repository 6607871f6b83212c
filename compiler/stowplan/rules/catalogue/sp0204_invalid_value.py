"""Value that its field cannot have.

## What it checks

A value has the form that its field asks for: names as DNS labels, quantities and durations in Kubernetes' and Go's
forms, times in RFC 3339, digests in full, one of the words that a field offers, a number within its bounds.

## Why it matters

What is refused here would be refused by an API server after the merge, on each cluster by itself, or would be read as
something else: `40TB` is no Kubernetes quantity, while `40T` and `40Ti` differ by a tenth.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: speech
spec:
  type: dataset
  version: "1"
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 40TB  # error
  locations: [{cluster: east, uri: s3://east/speech}]
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: speech
spec:
  type: dataset
  version: "1"
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 40Ti
  locations: [{cluster: east, uri: s3://east/speech}]
```

## References

- [Kubernetes, quantity](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/)
- [Kubernetes, object names and IDs](https://kubernetes.io/docs/concepts/overview/working-with-objects/names/)
- [RFC 3339, date and time on the Internet](https://www.rfc-editor.org/rfc/rfc3339)
- [Go, durations](https://pkg.go.dev/time#ParseDuration)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0204", "invalid-value", Level.ERROR, since="0.1")
