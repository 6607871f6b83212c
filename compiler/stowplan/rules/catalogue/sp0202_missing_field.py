"""Field that must be there and is not.

## What it checks

Fields without a default are stated: of the document (`apiVersion`, `kind`, `metadata.name`, `spec`) and of each of
its parts. The finding is at the mapping that lacks the field, and says what the field is for.

## Why it matters

Some things have no safe default. An artifact without a digest is whatever its name points to on the day the job
starts; a gang without an expected duration cannot be weighed against a maintenance window or a spot price.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: speech
spec:  # error
  type: dataset
  version: "1"
  size: 2Ti
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
  size: 2Ti
  locations: [{cluster: east, uri: s3://east/speech}]
```

## References

- `stowplan schema KIND` prints what a kind may hold, with units
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0202", "missing-field", Level.ERROR, since="0.1")
