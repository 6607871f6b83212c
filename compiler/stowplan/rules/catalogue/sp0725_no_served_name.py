"""Served name for an engine that has none.

## What it checks

`servedName` is given only where the engine can serve a model under another name: vllm and sglang.

## Why it matters

Requests name the model. With a name that the server does not know every request is refused.

## Example

```text
engine: {type: tgi, image: tgi-image}
servedName: chat
```

## Use instead

Leave `servedName` out, or choose an engine that has it.

## References

- [vLLM, server arguments](https://docs.vllm.ai/en/latest/configuration/serve_args/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0725", "no-served-name", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
