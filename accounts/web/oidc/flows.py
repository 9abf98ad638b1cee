"""What a session holds of sign-ins on their way to the provider and back."""

import secrets
import time
from dataclasses import asdict, dataclass

from django.http import HttpRequest
from django.urls import reverse

from accounts.oidc.authorization import Secrets

FLOWS = "provider_sign_ins"
SECONDS = 600
MOST = 5  # tabs of one browser
MAX_ADDRESS = 4_000  # characters of the page after the sign-in

SIGN_IN, TIE, CONFIRM = "sign in", "tie", "confirm"


@dataclass(frozen=True)
class Flow(Secrets):
    """A sign-in on its way."""

    purpose: str
    next: str  # an address of this site
    invitation: int | None  # its id
    at: float

    @property
    def is_current(self) -> bool:
        return 0 <= time.time() - self.at <= SECONDS


def begin(request: HttpRequest, purpose: str, address: str, invitation: int | None = None) -> Flow:
    address = address if len(address) <= MAX_ADDRESS else reverse("home")
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    flow = Flow(state, nonce, verifier, purpose, address, invitation, time.time())
    store(request, [*flows(request), flow][-MOST:])
    if not request.user.is_authenticated:
        request.session.set_expiry(SECONDS)
    return flow


def take(request: HttpRequest, state: str) -> Flow | None:
    """The sign-in with this state, which is over then: nobody comes back with it twice."""
    waiting = flows(request)
    found = next((flow for flow in waiting if flow.state == state), None)
    if found:
        store(request, [flow for flow in waiting if flow is not found])
    return found


def flows(request: HttpRequest) -> list[Flow]:
    stored = [Flow(**one) for one in request.session.get(FLOWS, [])]
    return [flow for flow in stored if flow.is_current]


def store(request: HttpRequest, waiting: list[Flow]) -> None:
    request.session[FLOWS] = [asdict(flow) for flow in waiting]
