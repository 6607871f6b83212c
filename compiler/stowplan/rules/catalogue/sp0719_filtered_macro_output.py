"""Filter over what a macro wrote.

## What it checks

Filters take values. The output of a macro or of a block that was captured is text in which values are still marked,
and can only be written out.

## Why it matters

Values are put in after the text of the template was parsed; that is what makes them safe. A filter over text with
marks would change the marks and lose the values.

## Example

```yaml templates/tenancy/namespace.yaml.j2
{% macro name() %}{{ namespace }}{% endmacro %}
apiVersion: v1
kind: Namespace
metadata:
  name: {{ name() | upper }}  # error
  labels: {{ labels }}
spec: {}
```

## Use instead

```yaml templates/tenancy/namespace.yaml.j2
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
  labels: {{ labels }}
spec: {}
```

## References

- [Jinja, template designer documentation](https://jinja.palletsprojects.com/en/stable/templates/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0719", "filtered-macro-output", Level.ERROR, since="0.1")
