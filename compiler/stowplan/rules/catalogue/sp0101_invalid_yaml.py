"""Text that no YAML reader accepts.

## What it checks

Each document of a file parses. After an error the reading goes on at the next `---`, so that one run shows the
errors of all documents.

## Why it matters

Nothing can be said about a document that does not parse. Frequent causes are a tab used for indentation, an unclosed
bracket or quote, text with `: ` or with a leading `*`, `&`, `@` or `%` that is not quoted, and keys that are not
aligned.

## Example

```yaml fleet/artifacts.yaml
size: 4Ti
version: [2, 6
uri: s3://corpus  # error
```

## Use instead

```yaml fleet/artifacts.yaml
size: 4Ti
version: [2, 6]
uri: s3://corpus
```

## References

- [YAML 1.2.2](https://yaml.org/spec/1.2.2/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0101", "invalid-yaml", Level.ERROR, since="0.1", stage=Stage.SOURCE)
