"""What documents are imported from: files, folders, addresses, and whichever of them an input turns out to be."""
