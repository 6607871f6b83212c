"""Number that JSON or a 64-bit integer cannot hold.

## What it checks

Integers lie between -9223372036854775808 and 9223372036854775807; other numbers are finite.

## Why it matters

The API server keeps integers in 64 bits and everything else as a double: a longer integer loses its last digits on
the way, and JSON has no way to write infinity or not-a-number at all.

## Example

```yaml fleet/tenants.yaml
weight: .inf  # error
account: 184467440737095516160  # error
```

## Use instead

```yaml fleet/tenants.yaml
weight: 1000
account: "184467440737095516160"
```

## References

- [RFC 8259, 6 Numbers](https://www.rfc-editor.org/rfc/rfc8259#section-6)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0111", "unrepresentable-number", Level.ERROR, since="0.1", stage=Stage.SOURCE)
