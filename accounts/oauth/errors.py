"""How OAuth refuses: as JSON with `error` and `error_description` (RFC 6749, 5.2), for programs."""

from collections.abc import Mapping


class OAuthError(Exception):
    """A refusal of /token, /register or /revoke. `error` is a code of RFC 6749, 7591 or 8707."""

    def __init__(
        self, error: str, description: str, status: int = 400, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(description)
        self.error, self.description, self.status = error, description, status
        self.headers = headers or {}

    @property
    def body(self) -> dict[str, str]:
        return {"error": self.error, "error_description": self.description}
