"""Input that is larger or deeper than any fleet needs.

## What it checks

A file has at most 16 MiB and two million values, counting what its aliases stand for; a document is nested at most
100 levels deep, and a file has at most 10,000 aliases; a workspace has at most 50,000 files and 512 MiB.

## Why it matters

A few lines of aliases to aliases grow to billions of values, and a line of brackets to a depth at which readers
crash. The compiler also runs on changes that nobody has reviewed yet.

## Example

```yaml fleet/example.yaml
path:
  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[  # error
  ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
  ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
```

## Use instead

```yaml fleet/example.yaml
path: [[]]
```

## References

- [Billion laughs attack](https://en.wikipedia.org/wiki/Billion_laughs_attack)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0112", "input-over-budget", Level.ERROR, since="0.1", stage=Stage.SOURCE)
