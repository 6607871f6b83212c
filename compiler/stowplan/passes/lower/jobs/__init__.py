"""Jobs of every runtime that an intent may ask for."""
