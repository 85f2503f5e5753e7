"""What judges how well passages answer a query."""
