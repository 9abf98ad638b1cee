from tests.accounts.conftest import page

__all__ = ["page"]
