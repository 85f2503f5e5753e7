"""The hub's version, as every wire states it."""

VERSION = "0.1.0"
