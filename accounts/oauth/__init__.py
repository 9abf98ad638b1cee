"""OAuth 2.1: how a program gets access to /mcp without a pasted key (Claude, ChatGPT, Cursor and others).

1. The program asks /mcp without a credential. The 401 names the metadata (views.py).
2. It registers itself: POST /register (registration.py), or by the address of its own document
   (client_documents.py, off by default).
3. It opens /authorize in the person's browser (accounts/web/consent.py). The person signs in, chooses what
   the program may do, and connects. The browser returns to the program with a code.
4. POST /token exchanges the code for tokens (tokens.py), and makes the **connection**: an ApiKey with a
   `client`, which is listed beside the keys in the settings and ends like one.
5. /mcp takes the access token where it takes a key, and nothing else does. After a day the program renews
   its tokens at /token. POST /revoke ends the connection.

Example of a failure: somebody copies a refresh token and uses it two days after the program did. The copy is
refused, and the connection ends for both (tokens.py).

Sources: the Model Context Protocol, 2026-07-28, basic/authorization; RFC 6749 (OAuth 2.0), 7009 (revocation),
7591 (registration), 7636 (PKCE), 8414 and 9728 (metadata), 8707 (resource), 9207 (issuer), 9700 (security).
"""
