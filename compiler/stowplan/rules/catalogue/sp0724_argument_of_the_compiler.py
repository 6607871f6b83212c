"""Argument of the model server that the compiler sets itself.

## What it checks

The port, the served name, the model's path, and the number of accelerators follow from the intent. Arguments in
`engine.args` must not set them as well.

## Why it matters

Two values of one flag: the last one wins on some servers, the first on others. The pool, the probes, and the
accelerators a replica asks for were rendered for the compiler's value.

## Example

```text
engine: {type: vllm, image: vllm-image, args: [--tensor-parallel-size=4]}
replica: {accelerators: 2, cpu: 24, memory: 180Gi}
```

## Use instead

Leave the argument out, and change the intent's own field: `replica`, `engine.port`, or `servedName`.

## References

- [vLLM, server arguments](https://docs.vllm.ai/en/latest/configuration/serve_args/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0724", "argument-of-the-compiler", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
