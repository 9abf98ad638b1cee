from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class KeyScheme(OpenApiAuthenticationExtension):
    """Describes the two headers for a key. A request needs one of them."""

    target_class = "accounts.api.authentication.KeyAuthentication"
    name = ["bearer", "apiKey"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        return [
            {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "svc_ and 40 letters and digits",
                "description": "An API key, created in the app under Settings, Developer.",
            },
            {
                "type": "apiKey",
                "in": "header",
                "name": "api-key",
                "description": "The same key in a header of its own. Two headers that differ are refused.",
            },
        ]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        return [{"bearer": []}, {"apiKey": []}]
