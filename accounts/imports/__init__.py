"""Imports of an account: the runs with their items (`models`), and what a kind of record is (`kinds`)."""
