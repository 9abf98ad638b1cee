// A certified provider in memory: whoever gives a login is let in, with the claims that PEOPLE has for it.

import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const { PORT, SITE, PEOPLE, KEYS } = process.env;
const people = JSON.parse(PEOPLE);

const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  clients: [
    {
      client_id: "fitness",
      client_secret: "a secret: with/signs",
      redirect_uris: [`${SITE}/sign-in/provider/return`],
      post_logout_redirect_uris: [`${SITE}/sign-in/provider/left`],
      backchannel_logout_uri: `${SITE}/sign-in/provider/signed-out`,
      backchannel_logout_session_required: true,
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
  jwks: JSON.parse(readFileSync(KEYS, "utf8")),
  cookies: { keys: ["for tests alone"] },
});
provider.listen(Number(PORT), "127.0.0.1");
