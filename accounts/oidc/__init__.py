"""Signing in with the provider that a household has already (OpenID Connect Core 1.0, Discovery, and logout).

Nothing here is imported unless OIDC_ISSUER is set. The steps of a sign-in:

1. `discovery` reads what the provider says of itself, and keeps it for an hour.
2. `authorization` makes the address that the browser goes to, with a state, a nonce and PKCE (RFC 7636), and
   exchanges the code that it comes back with for tokens.
3. `tokens` checks the ID token by the provider's keys (`keys`), and `identity` says who it is about. What the
   ID token leaves out is asked from the provider's userinfo.
4. `people` finds the account that is tied to this issuer and subject, ties one, or makes one. Never by an
   email alone. `roles` follows the groups of the provider.
5. `accounts/web/oidc` has the pages, and signs in.

`asking` bounds it: a page waits 5 seconds for all that it needs of the steps 1 to 3, and two pages at once.

Example of a failure: the provider is stopped. The log has "provider: GET /.well-known/openid-configuration:
ConnectionRefusedError", the page says "Authentik does not answer", and the form for the password works.
"""
