"""Field ownership: who writes which field of which object, and where two writers meet."""
