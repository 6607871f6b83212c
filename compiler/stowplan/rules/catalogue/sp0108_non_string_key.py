"""Mapping key that is no string.

## What it checks

Every key is a string: numbers, booleans and null need quotes; collections and aliases cannot be keys.

## Why it matters

JSON has only string keys. Some readers turn `8080` into text, others keep a number that nothing finds again, and the
API server accepts only what was text from the start.

## Example

```yaml fleet/example.yaml
values:
  8080: http  # error
```

## Use instead

```yaml fleet/example.yaml
values:
  "8080": http
```

## References

- [RFC 8259, 4 Objects](https://www.rfc-editor.org/rfc/rfc8259#section-4)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0108", "non-string-key", Level.ERROR, since="0.1", stage=Stage.SOURCE)
