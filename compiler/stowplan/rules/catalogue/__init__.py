"""One module for each rule; `stowplan.rules.registry` finds them by the names of the files."""
