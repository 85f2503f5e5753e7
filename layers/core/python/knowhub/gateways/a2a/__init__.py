"""The A2A endpoint and the agent card."""
