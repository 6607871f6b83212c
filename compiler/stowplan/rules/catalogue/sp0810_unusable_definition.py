"""Definition of a custom kind that cannot be used.

## What it checks

Files with CustomResourceDefinitions are readable YAML within fixed bounds, and their schemas are structural, as the
API server asks for.

## Why it matters

What is rendered for the kind could not be checked, and the cluster would not accept the definition either.

## Example

```yaml
kind: CustomResourceDefinition
spec:
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {}}}      # a schema without a type
```

## Use instead

Take the definitions from the release of the controller: `kubectl get crd NAME -o yaml`, or the files of its
installation.

## References

- [Kubernetes, custom resource definitions](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0810", "unusable-definition", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
