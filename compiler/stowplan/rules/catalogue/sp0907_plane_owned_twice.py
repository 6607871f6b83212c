"""Object that speaks for another owner of a plane than the planes table names.

## What it checks

Each plane of the fleet (traffic, network, service discovery, data replication, workload placement by class, and so on)
has one owner. A rendered object of a kind that only another owner would render is reported, as is a workload that goes
another way than the table says for its class.

## Why it matters

Two owners of a plane make decisions about the same packets, jobs or volumes without knowing of each other.

## Example

`traffic: gateway-api` in the fleet, and a rendered Ingress.

## Use instead

Leave the object out, or give the plane to its owner.

## References

- [Gateway API, migrating from Ingress](https://gateway-api.sigs.k8s.io/guides/migrating-from-ingress/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0907", "plane-owned-twice", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
