"""What people sign in with, in software: an authenticator app, and the holder of a passkey."""

import hashlib
import json
import struct
from base64 import b32decode, urlsafe_b64decode, urlsafe_b64encode

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.conf import settings
from django_otp.oath import totp

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def code_of(key, seconds_ahead=0):
    """The code of an app with a key as the page shows it, on a phone whose clock may be wrong."""
    return f"{totp(b32decode(key.replace(' ', '')), t0=-seconds_ahead):06}"


def text(content):
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def content(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class SoftPasskey:
    """Answers the options of the service as `navigator.credentials` does, in JSON."""

    def __init__(self, credential_id=b"a passkey of the tests"):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id, self.user_handle, self.count = credential_id, b"", 0
        self.flags, self.origin = PRESENT | VERIFIED, settings.PASSKEY_ORIGIN

    def create(self, options):
        self.user_handle = content(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        x, y = (number.to_bytes(32) for number in (numbers.x, numbers.y))
        public_key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        attested = bytes(16) + struct.pack(">H", len(self.credential_id)) + self.credential_id + public_key
        data = self.data(options["rp"]["id"], ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self.client_data("webauthn.create", options)
        return self.answer(clientDataJSON=client_data, attestationObject=attestation)

    def get(self, options):
        self.count += 1
        data, client_data = self.data(options["rpId"]), self.client_data("webauthn.get", options)
        signed = data + hashlib.sha256(client_data).digest()
        signature = self.key.sign(signed, ec.ECDSA(SHA256()))
        return self.answer(
            clientDataJSON=client_data,
            authenticatorData=data,
            signature=signature,
            userHandle=self.user_handle,
        )

    def data(self, rp_id, more_flags=0):
        rp_id_hash = hashlib.sha256(rp_id.encode()).digest()
        return rp_id_hash + struct.pack(">BI", self.flags | more_flags, self.count)

    def client_data(self, kind, options):
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": self.origin}).encode()

    def answer(self, **response):
        response = {name: text(value) for name, value in response.items()}
        name = text(self.credential_id)
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})
