"""The page /progress and the board of records: what an account lifts now, and what it lifted before."""
