"""The pages around the household's provider (accounts/oidc): imported where OIDC_ISSUER is set alone.

1. `views.begin` leads to the provider, and `views.arrive` is where it sends the browser back to. What belongs
   together is kept in the session for 10 minutes (`flows`), and used once.
2. `ties` asks whether an account is to be opened by the provider from now on, and ends that.
3. `sign_out` ends the session here, and leads to the provider to end the one there. The provider posts to
   `sign_out.from_provider` when somebody has signed out there.
"""
