"""Access to databases: rows of an account, SQL constants, keysets, backends. Imports no other room."""
