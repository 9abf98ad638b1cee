"""Django's SQLite backend, whose transactions wait for each other; DATABASE_URL=sqlite:///… chooses it."""
