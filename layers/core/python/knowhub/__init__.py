"""knowhub: one retrieval kernel, one answer kernel and one permission check behind four protocols."""
