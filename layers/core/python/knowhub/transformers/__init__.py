"""What changes a text before it is cut, or its pieces afterwards."""
