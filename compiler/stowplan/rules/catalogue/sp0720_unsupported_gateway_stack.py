"""Cluster that serves models with versions nobody tried together.

## What it checks

A cluster that gets an inference service declares `gateway-api`, `inference-extension`, and the implementation of its
gateway class in exactly the versions that the templates are written for: Gateway API 1.5.1, inference extension 1.5.0, and
Istio 1.30.1 for the class `istio`.

## Why it matters

The projects do not move together. Fields appear, defaults change, and endpoint pickers speak to gateways of some
releases only; a mixture is found out by requests that fail.

## Example

```text
kind: Cluster
spec:
  components: {gateway-api: 1.4.0, inference-extension: 1.5.0, istio: 1.30.1}
  gateway: {class: istio, host: models.example.com}
```

## Use instead

Bring the cluster to the versions that the finding names, or take the role `inference` from it.

## References

- [Gateway API Inference Extension](https://gateway-api-inference-extension.sigs.k8s.io/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0720", "unsupported-gateway-stack", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
