"""What the hub needs from the world: one Protocol a file, each with a contract suite run on every implementation."""
