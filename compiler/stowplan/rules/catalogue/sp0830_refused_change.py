"""Change that the API server would refuse.

## What it checks

An object that was rendered before, and is another one now, is judged as an update: what is immutable in the built-in
kinds (the template of a Job, the selector of a Deployment, most of a StatefulSet or a PersistentVolumeClaim, the role of
a binding, ConfigMaps that say so), and the transition rules (`oldSelf`) of the definitions that a cluster brings. Before
is the tree that the lock lists; with `stowplan check --previous DIR` it is the one in another checkout.

An object is the same if API server, group, kind, namespace, and name are, wherever its file lies. Objects that their
engine has been told to replace (`Replace=true,Force=true`; Flux: `force: enabled`) may change. A Job in a queue of Kueue
may be placed elsewhere while it waits, so that such a change is a warning.

## Why it matters

The object by itself is valid, so every other check passes. The refusal comes at the sync, from every cluster by itself,
at every attempt; the unit stays out of sync, and what waits for it never starts.

## Example

```yaml fleet/components/north/mode.yaml before
apiVersion: v1
kind: ConfigMap
metadata:
  name: mode
  namespace: speech
immutable: true
data: {mode: fast}
```

```yaml fleet/components/north/mode.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: mode
  namespace: speech
immutable: true
data: {mode: careful}  # error
```

## Use instead

```yaml fleet/components/north/mode.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: mode-careful
  namespace: speech
immutable: true
data: {mode: careful}
```

Where you delete the object yourself right before the sync, say so on the line of the finding, and take the comment out
again once the change is compiled:

```text
# stowplan: allow[SP0830] deleted by hand when this is merged
```

## References

- [Kubernetes, transition rules](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#transition-rules)
- docs/guide.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0830", "refused-change", Level.ERROR, since="0.1", stage=Stage.REVISION, configurable=True)
