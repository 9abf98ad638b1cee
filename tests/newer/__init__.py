"""A newer version of the service, for tests: what it has over this one are two migrations of `body`."""
