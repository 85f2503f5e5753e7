"""The one answer kernel: sources chosen, answers streamed, citations verified."""
