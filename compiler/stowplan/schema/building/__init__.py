"""Development-time tools that build the schema packs; nothing here runs in the product."""
