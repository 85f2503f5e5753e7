"""The table port on DynamoDB."""
