"""Receipts: what was released, by whom, under which plan, as DSSE envelopes of in-toto statements.

Sites sign what they were told, all the same bytes. A receipt does not prove that the aggregator added up rightly: who holds
the letters computes the average anew. This module imports `cryptography` and the standard library alone, so that anybody can
run it as it is: ``python receipt.py RECEIPT KEYS``, KEYS a plan or a JSON object of names and public keys.
"""

from __future__ import annotations

import base64
import binascii
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
RELEASE, HEAD = "urn:cape-lab:release:1", "urn:cape-lab:ledger-head:1"


class NoReceipt(ValueError):
    """Raised for what is no receipt, or one that was changed."""


def statement(kind: str, name: str, sha256: str, predicate: Mapping[str, Any]) -> bytes:
    """The bytes that are signed: an in-toto Statement v1 about one subject."""
    content = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": sha256}}],
        "predicateType": kind,
        "predicate": dict(predicate),
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def signature(payload: bytes, key: Any) -> dict[str, str]:
    """One party's signature of a statement, by its `core.desk.keys.Key`."""
    return {"keyid": key.public, "sig": base64.b64encode(key.sign(_encoded(payload))).decode("ascii")}


def envelope(payload: bytes, signatures: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """The statement with its signatures, as JSON."""
    return {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode("ascii"),
        "signatures": [dict(one) for one in signatures],
    }


@dataclass(frozen=True)
class Verified:
    """A receipt whose signatures were checked.

    Attributes
    ----------
    predicate : dict
        What is said.
    subject : str
        SHA-256 of what it is about.
    signed : tuple of str
        Public keys whose signatures are right, in their order.
    """

    predicate: Mapping[str, Any]
    subject: str
    signed: tuple[str, ...]


def verified(found: Mapping[str, Any], *, kind: str = RELEASE) -> Verified:
    """Check an envelope.

    Raises
    ------
    NoReceipt
        If it is none, is of another kind, or one of its signatures is not right.
    """
    try:
        payload = base64.b64decode(found["payload"], validate=True)
        rows = [
            (str(one["keyid"]), base64.b64decode(one["sig"], validate=True)) for one in found["signatures"]
        ]
        content = json.loads(payload)
        subject = content["subject"][0]["digest"]["sha256"]
        kinds = found["payloadType"], content["_type"], content["predicateType"]
        predicate = content["predicate"]
    except (KeyError, IndexError, TypeError, ValueError, binascii.Error):
        raise NoReceipt("receipt must be a DSSE envelope of an in-toto statement") from None
    if (
        kinds != (PAYLOAD_TYPE, STATEMENT, kind)
        or not isinstance(predicate, dict)
        or len(content["subject"]) != 1
    ):
        raise NoReceipt(f"receipt must be a statement of kind {kind!r}, got {kinds[-1]!r}")
    if not rows or len({key for key, _ in rows}) < len(rows):
        raise NoReceipt("receipt must have signatures, and no party's twice")
    for key, sig in rows:
        if not verifies(key, sig, _encoded(payload)):
            raise NoReceipt(
                f"signature of key {key[:8]}… must be right: the receipt was changed, or is not its"
            )
    return Verified(predicate, subject, tuple(key for key, _ in rows))


def verifies(public: str, signature: bytes, data: bytes) -> bool:
    """Whether an Ed25519 signature is that of these bytes, under a public key of 64 hexadecimal digits."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, data)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def _encoded(payload):
    """DSSE's pre-authentication encoding."""
    kind = PAYLOAD_TYPE.encode("ascii")
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def tell(path: Path, keys: Path) -> int:
    """Check a receipt against the keys of a plan and print what it says; 0 if it is right, 2 if not."""
    known = json.loads(keys.read_text(encoding="utf-8"))
    names = {key: name for name, key in known.get("keys", known).items()}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        said = verified(found["release"])
        heads = [verified(one, kind=HEAD) for one in found.get("ledgers", ())]
    except (NoReceipt, KeyError, ValueError) as error:
        print(f"no receipt: {error}", file=sys.stderr)
        return 2
    stranger = [key for key in said.signed if key not in names]
    if stranger or said.predicate.get("keys") != known.get("keys", known):
        print("no receipt: it is signed with keys that the plan does not have", file=sys.stderr)
        return 2
    signed = [names[key] for key in said.signed]
    silent = [name for name in names.values() if name not in signed]
    print(f"average with SHA-256 {said.subject}")
    print(
        f"of {', '.join(said.predicate['sites'])}; dropped out: {', '.join(said.predicate['dropped']) or 'nobody'}"
    )
    print(
        f"signed by {len(signed)} of {len(names)}: {', '.join(signed)}; not by {', '.join(silent) or 'nobody'}"
    )
    for head in heads:
        print(f"ledger of {head.predicate['site']}: line {head.predicate['head'][0]}")
    return 0


if __name__ == "__main__":
    sys.exit(tell(Path(sys.argv[1]), Path(sys.argv[2])))
