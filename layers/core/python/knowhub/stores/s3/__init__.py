"""The blobs port on S3."""
