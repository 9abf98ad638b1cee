"""Django's SQLite backend with three corrections; DATABASE_URL=sqlite:///… chooses it."""
