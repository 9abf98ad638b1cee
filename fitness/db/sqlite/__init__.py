"""Django's SQLite backend with two corrections; DATABASE_URL=sqlite:///… chooses it."""
