"""The queue port on SQS."""
