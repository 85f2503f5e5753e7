"""Pure decisions: who may see and do what."""
