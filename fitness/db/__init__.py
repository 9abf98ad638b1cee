"""Access to databases: rows of an account, prepared queries, keysets, backends. Imports no other room."""
