"""The service on Citus, a PostgreSQL that spreads tables over nodes; DATABASE_URL=citus://… chooses it.

1. The rows of an account (fitness/db/owned.py) are on one node, found by `account_id`: `distribute` places
   them.
2. What every account needs (`tables.REFERENCE`) is on every node. A write of it goes to all nodes, and fails
   while one is away, so no request of a key writes it, and no sign-in but one whose password is hashed anew.
3. Everything else is on the coordinator: sessions, the admin's log, invitations, audit events.

Citus needs the account in each key of a distributed table. `distribute` puts it in front of those that
Django made: models and migrations are the same on every database, and PostgreSQL keeps its narrow keys.
"""
