"""Tag that asks for a type the input language does not have.

## What it checks

Tags are absent, or say what the value is anyway: `!!str`, `!!map`, `!!seq`, and `!!int`, `!!float`, `!!bool` and
`!!null` on scalars that have that type without them.

## Why it matters

A tag can make a reader build arbitrary objects, decode binary data or turn text into dates. The manifests that leave
the compiler are JSON data, which has none of these types.

## Example

```yaml fleet/artifacts.yaml
digest: !!binary c2hhMjU2  # error
```

## Use instead

```yaml fleet/artifacts.yaml
digest: "c2hhMjU2"
```

## References

- [YAML 1.2.2, 10.2 JSON schema](https://yaml.org/spec/1.2.2/#102-json-schema)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0103", "unsupported-yaml-tag", Level.ERROR, since="0.1", stage=Stage.SOURCE)
