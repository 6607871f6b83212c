"""Plain scalar that YAML 1.1, YAML 1.2 and Kubernetes read differently.

## What it checks

Each scalar without quotes is read by the rules of YAML 1.1 (as PyYAML implements them, with the one-letter booleans
of the specification), by the core schema of YAML 1.2, and by the rules of the reader behind `kubectl` and the API
server. It is accepted if all three give the same value. Booleans are `true` and `false`; numbers are decimal without
leading zero or underscores; text that looks like a switch, a date, a time or a number in another base needs quotes.

## Why it matters

`no` is a boolean to one tool and a country code to another, `012` is ten or twelve, `1:30` is ninety or text, `1e3`
is text or a thousand, `2026-11-01` is a date or text. What a fleet asks for must not depend on the tool that reads
it.

## Example

```yaml fleet/example.yaml
interruptible: no  # error
attempts: 012  # error
limit: 1:30  # error
version: 2026-11-01  # error
```

## Use instead

```yaml fleet/example.yaml
interruptible: false
attempts: 12
limit: 90m
version: "2026-11-01"
```

## References

- [YAML 1.1 types](https://yaml.org/type/)
- [YAML 1.2.2, 10.3 Core schema](https://yaml.org/spec/1.2.2/#103-core-schema)
- [sigs.k8s.io/yaml](https://github.com/kubernetes-sigs/yaml)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0104", "ambiguous-plain-scalar", Level.ERROR, since="0.1", stage=Stage.SOURCE)
