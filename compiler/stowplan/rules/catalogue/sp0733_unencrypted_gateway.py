"""Gateway for models without a certificate.

## What it checks

Where the snapshot lists a cluster's secrets, `inference-gateway/inference-gateway-tls` is among them; then the gateway
answers on port 443 with it. Otherwise it answers on port 80.

## Why it matters

Prompts and answers cross the network in plain text.

## Example

```text
kind: InventorySnapshot
spec:
  secrets: [kueue-system/multikueue-east]
```

## Use instead

Create the TLS Secret in the cluster (cert-manager can), then take a new snapshot.

## References

- [Gateway API, TLS](https://gateway-api.sigs.k8s.io/guides/tls/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0733", "unencrypted-gateway", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
