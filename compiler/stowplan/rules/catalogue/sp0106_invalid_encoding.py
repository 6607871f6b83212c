r"""File that is not UTF-8, or starts with a byte order mark.

## What it checks

All bytes of a file are UTF-8 (neither UTF-16 nor an older code page), and the first three are no byte order mark.

## Why it matters

Readers that meet other bytes fail, or put replacement characters into names. A byte order mark is invisible, and
tools that join files leave it in the middle of a stream, where it becomes part of a key.

## Example

```yaml fleet/artifacts.yaml escaped
owner: J\xf6rg  # error
```

## Use instead

```yaml fleet/artifacts.yaml escaped
owner: J\u00f6rg
```

## References

- [RFC 3629, UTF-8](https://www.rfc-editor.org/rfc/rfc3629)
- [YAML 1.2.2, 5.2 Character encodings](https://yaml.org/spec/1.2.2/#52-character-encodings)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0106", "invalid-encoding", Level.ERROR, since="0.1", stage=Stage.SOURCE)
