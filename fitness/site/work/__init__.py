"""What the worker does beside the web processes: tasks of accounts, and the chores of the whole service."""
