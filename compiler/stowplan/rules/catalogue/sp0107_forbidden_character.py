r"""Character that cannot be seen, that reorders text, or that YAML versions treat differently.

## What it checks

A file has no control characters but tab and line end, no line ends that only YAML 1.1 knows (U+0085, U+2028, U+2029),
no characters that change the direction of text (U+202A to U+202E, U+2066 to U+2069), no byte order mark inside, and
none of U+E000 and U+E001, which the template engine uses as marks. The marks are refused as escapes too.

## Why it matters

What a reviewer sees has to be what the compiler reads. After U+2028 in a comment, YAML 1.1 reads the rest of the line
as data, while an editor shows it as part of the comment; U+202E shows text backwards.

## Example

```yaml fleet/example.yaml escaped
interruptible: true # not yet\u2028priority: high  # error
```

## Use instead

```yaml fleet/example.yaml
interruptible: true # not yet
priority: high
```

## References

- [YAML 1.2.2, 5.1 Character set](https://yaml.org/spec/1.2.2/#51-character-set)
- [Unicode Technical Standard 55, Source code handling](https://www.unicode.org/reports/tr55/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0107", "forbidden-character", Level.ERROR, since="0.1", stage=Stage.SOURCE)
