"""The blobs port on a folder."""
