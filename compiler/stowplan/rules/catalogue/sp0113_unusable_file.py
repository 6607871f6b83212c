"""File that is not read because of what it is.

## What it checks

Input files are regular files with printable names. Symbolic links lead to files inside the workspace: neither out
of it nor to folders.

## Why it matters

A link that leads out of the workspace makes the result depend on a file that is under nobody's review, and could
copy a file of the machine into the rendered tree. A link to a folder may lead in circles.

## Example

```sh
ln -s /etc/fleet/secrets.yaml fleet/secrets.yaml
```

## Use instead

Copy the file into the workspace, or reference the secret by name.

## References

- [CWE-59: Link following](https://cwe.mitre.org/data/definitions/59.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0113", "unusable-file", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
