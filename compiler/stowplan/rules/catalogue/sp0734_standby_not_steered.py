"""Service in warm standby while nothing steers its requests.

## What it checks

`mode: warm-standby` of an InferenceIntent, for which nothing is rendered that tells a standby from the others: each
cluster gets its own gateway and route, and who spreads requests over clusters (DNS, a global load balancer) is none of
the compiler's.

## Why it matters

The regions beyond the first are meant to take requests only when the first is lost. Unless whoever steers requests
between clusters knows that, all of them serve at once. The mode changes one thing only: `scaling.min` may be 0. If your
own traffic management reads it, turn the rule off.

## Example

```yaml fleet/serve.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: asr-model
spec:
  type: model
  version: 1.0.0
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 4Gi
  locations:
    - {uri: oci://registry.example.com/asr}
---
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: engine
spec:
  type: image
  version: 1.0.0
  digest: sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
  size: 9Gi
  locations:
    - {uri: oci://registry.example.com/vllm}
---
apiVersion: stowplan.io/v1alpha1
kind: InferenceIntent
metadata:
  name: asr
spec:
  tenant: research
  model: asr-model
  engine: {type: vllm, image: engine}
  replica: {accelerators: 1, cpu: 8, memory: 64Gi}
  accelerator: {vendor: nvidia}
  regions:
    - {region: east, replicas: 1}
  mode: warm-standby  # error
  gateway: {path: /asr}
```

## Use instead

```yaml fleet/serve.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: asr-model
spec:
  type: model
  version: 1.0.0
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 4Gi
  locations:
    - {uri: oci://registry.example.com/asr}
---
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: engine
spec:
  type: image
  version: 1.0.0
  digest: sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
  size: 9Gi
  locations:
    - {uri: oci://registry.example.com/vllm}
---
apiVersion: stowplan.io/v1alpha1
kind: InferenceIntent
metadata:
  name: asr
spec:
  tenant: research
  model: asr-model
  engine: {type: vllm, image: engine}
  replica: {accelerators: 1, cpu: 8, memory: 64Gi}
  accelerator: {vendor: nvidia}
  regions:
    - {region: east, replicas: 1}
  mode: active-active
  gateway: {path: /asr}
```

## References

- [Gateway API, HTTPRoute](https://gateway-api.sigs.k8s.io/api-types/httproute/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0734", "standby-not-steered", Level.WARN, since="0.1", configurable=True)
