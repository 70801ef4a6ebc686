"""Receipts: what was released, by whom, under which plan, as DSSE envelopes of in-toto statements.

Sites sign what they were told, all the same bytes. A receipt does not prove that the aggregator added up rightly: who holds
the letters computes the average anew. This module imports `cryptography` and the standard library alone, so that anybody can
run it as it is: ``python receipt.py RECEIPT KEYS``, KEYS a plan or a JSON object of names and public keys.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import stat
import struct
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
MOST_BYTES = 64_000_000  # Of a receipt.
_MOST_SIGNATURES = 10_000
_UNFORESEEN = (TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
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


def parsed(data: bytes) -> Any:
    """The JSON of foreign bytes.

    Raises
    ------
    NoReceipt
        For what is none, is larger than `MOST_BYTES`, too deep, or can be read in two ways.
    """
    if not isinstance(data, bytes) or len(data) > MOST_BYTES:
        raise NoReceipt(f"receipt must be JSON of at most {MOST_BYTES // 1_000_000} MB")
    try:
        return json.loads(data, object_pairs_hook=_once, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise NoReceipt(f"receipt must be JSON: {type(error).__name__}") from None


def _once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _finite(name):
    raise ValueError(name)


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
        payload = _decoded(found["payload"])
        rows = [(str(one["keyid"]), _decoded(one["sig"])) for one in found["signatures"]]
        content = parsed(payload)
        subject = content["subject"][0]["digest"]["sha256"]
        kinds = found["payloadType"], content["_type"], content["predicateType"]
        predicate = content["predicate"]
    except (KeyError, IndexError, TypeError, ValueError, binascii.Error):
        raise NoReceipt("receipt must be a DSSE envelope of an in-toto statement") from None
    if (
        kinds != (PAYLOAD_TYPE, STATEMENT, kind)
        or not isinstance(predicate, dict)
        or not isinstance(subject, str)
        or len(content["subject"]) != 1
    ):
        raise NoReceipt(f"receipt must be a statement of kind {kind!r}, got {kinds[-1]!r}")
    if not 0 < len(rows) <= _MOST_SIGNATURES or len({key for key, _ in rows}) < len(rows):
        raise NoReceipt("receipt must have signatures, and no party's twice")
    for key, sig in rows:
        if not verifies(key, sig, _encoded(payload)):
            raise NoReceipt(
                f"signature of key {key[:8]!a}… must be right: the receipt was changed, or is not its"
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


def _decoded(text):
    """The bytes that base64 says in the one way in which they are written."""
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode("ascii") != text:
        raise ValueError("base64 in another way")
    return data


def _encoded(payload):
    """DSSE's pre-authentication encoding."""
    kind = PAYLOAD_TYPE.encode("ascii")
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def tell(path: Path, keys: Path) -> int:
    """Check a receipt against the keys of a plan and print what it says; 0 if it is right, 2 with the reason if not."""
    try:
        lines = _told(read(path), read(keys))
    except (NoReceipt, OSError) as error:
        print(_seen(f"no receipt: {error}"), file=sys.stderr)
        return 2
    except _UNFORESEEN as error:
        print(f"no receipt: it must have the shape of one ({type(error).__name__})", file=sys.stderr)
        return 2
    print("\n".join(map(_seen, lines)))
    return 0


def _seen(line):
    """A line with names of others, none of which controls the terminal."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)


def read(path: Path) -> Any:
    """The JSON of a regular file; NoReceipt if it has none. Nobody waits for a pipe."""
    with open(
        path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
    ) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NoReceipt(f"{path.name} must be a regular file")
        return parsed(file.read(MOST_BYTES + 1))


def _told(found, known):
    said = verified(parts_of(found)["release"])
    plan = known if isinstance(known, dict) and "sites" in known else found["plan"]
    identifier, keys, sites, least = _terms(plan)
    if not said.predicate.get("plan") == _terms(found["plan"])[0] == identifier:
        raise NoReceipt("plan must be the one that was signed, and is another one or another run")
    if said.predicate.get("keys") != keys or known not in (plan, keys):
        raise NoReceipt("it must be signed for the keys of the plan, and has other ones")
    names = {key: name for name, key in keys.items()}
    if not set(said.signed) <= set(names):
        raise NoReceipt("signatures must be of keys that the plan has")
    signed = [names[key] for key in said.signed]
    silent = [name for name in (*sites, "aggregator") if name not in signed]
    if "aggregator" in silent or len(signed) <= least:
        raise NoReceipt(
            f"receipt must be signed by the aggregator and at least {least} sites, got {', '.join(signed)}; not signed "
            f"by {', '.join(silent) or 'nobody'}"
        )
    there, dropped = (said.predicate.get(name) for name in ("sites", "dropped"))
    if not isinstance(there, list) or not isinstance(dropped, list):
        raise NoReceipt("sites and those that dropped out must be names in lists")
    if there != [s for s in sites if s in there] or dropped != [s for s in sites if s not in there]:
        raise NoReceipt("sites and those that dropped out must be all of the plan's")
    if digest_of(found["average"]) != said.subject:
        raise NoReceipt("average must be the one that was signed, and is another one")
    return [
        f"average with SHA-256 {said.subject}",
        f"of {', '.join(there)}; dropped out: {', '.join(dropped) or 'nobody'}",
        f"signed by {len(signed)} of {len(names)}: {', '.join(signed)}; not by {', '.join(silent) or 'nobody'}",
        *_ledgers(found.get("ledgers", []), names, sites, identifier),
    ]


def parts_of(found: Any) -> Mapping[str, Any]:
    """The parts of a receipt as an aggregator writes it: release, plan, average and ledgers; NoReceipt for anything else."""
    parts = {"release", "plan", "average"}
    if not isinstance(found, dict) or not parts <= set(found) <= {*parts, "ledgers"}:
        raise NoReceipt(
            "receipt must have the release, its plan and its average, as an aggregator writes it, and ledgers at most"
        )
    return found


def _terms(plan):
    """Identifier of a plan, keys, names of sites, and how many sites must sign: all but those that may drop out."""
    try:
        rest = {name: value for name, value in plan.items() if name != "id"}
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        keys, sites = dict(plan["keys"]), [site["name"] for site in plan["sites"]]
        least = plan["threshold"] or max(2, len(sites) - plan["dropouts"])
        if set(keys) != {*sites, "aggregator"} or len(set(keys.values())) < len(keys):
            raise ValueError
        if type(least) is not int or not 2 <= least <= len(sites):
            raise ValueError
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError):
        raise NoReceipt("plan must be one with sites and a key of each") from None
    identifier = hashlib.sha256(text.encode("ascii")).hexdigest()
    if plan.get("id", identifier) != identifier:
        raise NoReceipt("plan must have the identifier of what it says, and has another one")
    return identifier, keys, sites, least


def digest_of(average: Any) -> str:
    """SHA-256 of the numbers as 64-bit floats, little-endian, row after row."""
    numbers = average if isinstance(average, list) else [average]
    while numbers and all(isinstance(one, list) for one in numbers):
        numbers = [number for one in numbers for number in one]
    if not all(type(number) in (int, float) for number in numbers):
        raise NoReceipt("average must be numbers")
    try:
        return hashlib.sha256(struct.pack(f"<{len(numbers)}d", *numbers)).hexdigest()
    except (OverflowError, struct.error):
        raise NoReceipt("average must be numbers") from None


def _ledgers(envelopes, names, sites, identifier):
    """A line for each site's ledger, which the site itself has signed, and one for those without."""
    if not isinstance(envelopes, list):
        raise NoReceipt("ledgers must be a list of envelopes")
    lines = {}
    for envelope in envelopes:
        told = verified(envelope, kind=HEAD)
        about, head = told.predicate, told.predicate.get("head")
        by = [names.get(key) for key in told.signed]
        if by != [about.get("site")] or by[0] not in sites or about.get("plan") != identifier:
            raise NoReceipt("ledgers must be signed by the site itself, for this plan")
        if not isinstance(head, list) or not head or type(head[0]) is not int:
            raise NoReceipt("ledgers must tell their last line")
        if about["site"] in lines:
            raise NoReceipt("ledgers must be of each site at most one")
        lines[about["site"]] = f"ledger of {about['site']}: line {head[0]}"
    missing = [name for name in sites if name not in lines]
    return [*lines.values(), *([f"no ledger of {', '.join(missing)}"] if missing else [])]


if __name__ == "__main__":
    sys.exit(tell(Path(sys.argv[1]), Path(sys.argv[2])))
