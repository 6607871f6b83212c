"""Domain values: quantities, input documents, the bound fleet and the plan. No I/O, no YAML, no diagnostics."""
