"""The fitness tracking service."""

__version__ = "1.0.0"
