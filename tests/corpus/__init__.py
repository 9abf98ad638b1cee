"""The corpus: what the service answers to some thousand requests on a filled database.

`python -m tests.corpus record FILE` writes a JSON line for each request: its name, what was sent, and status,
headers and body of the answer. `python -m tests.corpus compare BEFORE AFTER` prints what differs and is not
named in differs.toml. `make corpus BASE=<commit>` does both for a commit and this checkout.

The package runs in older and newer checkouts, so it imports nothing of the service: it goes through
management commands, addresses, forms and JSON alone.
"""
