"""Receipts: read by others, altered by others, computed anew from letters, and opened with plan and average."""

import base64
import importlib.util
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from desks import Consortium

from core.desk import receipt
from core.desk.commands import main
from core.desk.keys import Key
from core.desk.receipt import NoReceipt
from core.desk.recomputed import recomputed
from core.desk.released import LIMIT, opened
from core.desk.running import centre_round, send, site_round

needs_oracle = pytest.mark.skipif(
    importlib.util.find_spec("securesystemslib") is None,
    reason="securesystemslib, an oracle, is not installed",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return carried(tmp_path_factory.mktemp("run"))


def carried(root):
    """A run over folders with a silent site, whose letters are kept."""
    from core.desk.files import Folders

    consortium = Consortium(root).agree()
    centre, here = consortium.centre(), Folders(root / "drive/up", root / "drive/down")
    pipes = [Folders(root / f"drive/down/site-{s}", root / "drive/up") for s in range(4)]
    consortium.desk(4).begin(consortium.plan)
    here.put(consortium.desk(4).begin(consortium.plan), here.inbox)  # It joins, and is silent then.
    for _ in range(20):
        for s, pipe in enumerate(pipes):
            site_round(consortium.desk(s), pipe)
        before = centre.phase
        centre_round(centre, here)
        if centre.phase == "done" and len(centre.receipt["release"]["signatures"]) == 5:
            break
        if centre.phase == before and "h4" in centre.waits_for and len(centre.waits_for) == 1:
            send(centre, here, centre.close())
    assert centre.phase == "done"
    return consortium, centre, root


@needs_oracle
def test_securesystemslib_verifies_our_receipt_and_we_theirs(run, tmp_path):
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner, SSlibKey

    consortium, centre, _ = run
    found = centre.receipt["release"]
    keys = [
        SSlibKey(key, "ed25519", "ed25519", {"public": key}) for key in dict(consortium.plan.keys).values()
    ]
    envelope = Envelope.from_dict(json.loads(json.dumps(found)))
    assert len(envelope.verify(keys, 5)) == 5
    envelope.payload += b" "
    with pytest.raises(Exception, match="do not match threshold"):
        envelope.verify(keys, 5)
    signer = CryptoSigner.generate_ed25519()
    payload = receipt.statement(receipt.RELEASE, "average", "0" * 64, {"plan": "x"})
    theirs = Envelope(payload, receipt.PAYLOAD_TYPE, {})
    theirs.sign(signer)
    told = theirs.to_dict()
    public = signer.public_key.keyval["public"]
    for one in told["signatures"]:
        one["keyid"] = public  # Ours name a key by itself.
    assert receipt.verified(told).signed == (public,)
    told["payload"] = base64.b64encode(payload + b" ").decode()
    with pytest.raises(NoReceipt):
        receipt.verified(told)


def test_the_average_is_computed_anew_from_the_letters(run, tmp_path, capsys):
    consortium, centre, root = run
    said = receipt.verified(centre.receipt["release"])
    assert said.predicate["dropped"] == ["h4"]
    assert recomputed(consortium.plan, said, root / "drive") == said.subject
    plan, made = tmp_path / "plan.json", str(centre.place / "receipt.json")
    plan.write_text(consortium.plan.text())
    assert main(["verify", made, "--keys", str(plan), "--letters", str(root / "drive")]) == 0
    assert "the same average" in capsys.readouterr().out


def test_an_aggregator_that_added_up_wrongly_is_found_with_the_letters(tmp_path, monkeypatch):
    """The planted fault: the aggregator adds one step. All sign, the receipt is right, and the letters say another sum."""
    from core.desk.files import Folders
    from core.parties.averaging import Averaging

    less = Averaging.less
    consortium = Consortium(tmp_path, sites=3, dropouts=0).agree()
    here = Folders(tmp_path / "drive/up", tmp_path / "drive/down")
    pipes = [Folders(tmp_path / f"drive/down/site-{s}", tmp_path / "drive/up") for s in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(Averaging, "less", lambda *given: (less(*given)[0] + 2.0**-16, less(*given)[1]))
        centre = consortium.centre()
        while not (centre.phase == "done" and len(centre.receipt["release"]["signatures"]) == 4):
            for s, pipe in enumerate(pipes):
                site_round(consortium.desk(s), pipe)
            centre_round(centre, here)
    said = receipt.verified(centre.receipt["release"])
    found = recomputed(consortium.plan, said, tmp_path / "drive")
    assert found is not None and found != said.subject


def test_a_receipt_is_opened_with_plan_average_and_years(run):
    consortium, centre, _ = run
    found = opened((centre.place / "receipt.json").read_bytes())
    assert found.plan == consortium.plan and found.dropped == ("h4",) and found.silent == ("h4",)
    assert np.array_equal(found.value, centre.value)
    (row,) = found.rows
    assert (row.name, row.unit) == ("stay", "days") and abs(
        row.values[0] - consortium.truth(range(4))
    ) < 6 * row.std
    assert [year.site for year in found.years] == ["h0", "h1", "h2", "h3"]
    for s, year in enumerate(found.years):
        ledger = consortium.desk(s).ledger
        assert ledger.spent(year.year) <= year.spent <= ledger.spent(year.year) * (1 + 1e-6)
        assert (year.epsilon, year.observer, year.line) == (2.0, "aggregator", ledger.head.n)


def _altered(found):
    plan = json.loads(json.dumps(found["plan"]))
    yield "average", found | {"average": [found["average"][0] + 1e-9]}
    yield "average", found | {"average": "nan"}
    yield "plan", found | {"plan": {k: v for k, v in plan.items() if k != "id"} | {"note": "another"}}
    yield "release", {k: v for k, v in found.items() if k != "release"}
    signatures = found["release"]["signatures"]
    yield "signed by", found | {"release": found["release"] | {"signatures": signatures[1:]}}
    yield "signed by", found | {"release": found["release"] | {"signatures": signatures[:4]}}
    yield (
        "no party's twice",
        found | {"release": found["release"] | {"signatures": [*signatures, signatures[0]]}},
    )
    yield "ledgers", found | {"ledgers": 3}
    yield "kind", found | {"ledgers": [found["release"]]}


def test_an_altered_receipt_is_refused_by_name(run, tmp_path):
    _, centre, _ = run
    found = json.loads((centre.place / "receipt.json").read_bytes())
    for words, altered in _altered(found):
        with pytest.raises(ValueError, match=words):
            opened(json.dumps(altered).encode())
    stranger = Key.made(tmp_path, lambda n: bytes(range(n)))
    payload = base64.b64decode(found["release"]["payload"])
    more = found["release"] | {
        "signatures": [*found["release"]["signatures"], receipt.signature(payload, stranger)]
    }
    with pytest.raises(ValueError, match="keys that the plan has"):
        opened(json.dumps(found | {"release": more}).encode())
    for data in (b"", b"[]", b"{", b"\xff\xfe", b"[" * 10**5, b" " * (LIMIT + 1)):
        with pytest.raises(ValueError, match=r"."):
            opened(data)


def verified_by_command(found, plan, tmp_path, capsys):
    """Exit code, and what is said."""
    (tmp_path / "r.json").write_text(json.dumps(found))
    (tmp_path / "p.json").write_text(plan if isinstance(plan, str) else plan.text())
    code = main(["verify", str(tmp_path / "r.json"), "--keys", str(tmp_path / "p.json")])
    told = capsys.readouterr()
    return code, told.out + told.err


def signed_by(consortium, names, plan, value, **changed):
    """A receipt as an aggregator could write it, with the keys of these parties."""
    from core.desk.desk import about_release
    from core.parties.messages.letter import Letter

    about = about_release(plan, Letter(plan.id, "average", 1, "aggregator", 0, {"sites": [0, 1, 2, 3]}))
    subject = receipt.digest_of([value])
    payload = receipt.statement(receipt.RELEASE, "average", subject, {**about, **changed})
    folders = {"aggregator": consortium.root / "centre"} | {f"h{s}": consortium.folder(s) for s in range(5)}
    signatures = [receipt.signature(payload, Key.kept(folders[name])) for name in names]
    return {
        "release": receipt.envelope(payload, signatures),
        "plan": json.loads(plan.text()),
        "average": [value],
        "ledgers": [],
    }


def test_verify_is_satisfied_by_the_planned_number_of_signatures_alone(run, tmp_path, capsys):
    consortium, _, _ = run
    plan, names = consortium.plan, ["aggregator", "h0", "h1", "h2", "h3"]
    assert plan.answers(5) == 4
    true = signed_by(consortium, names, plan, 7.0)
    assert verified_by_command(true, plan, tmp_path, capsys)[0] == 0
    assert verified_by_command(true, json.dumps(dict(plan.keys)), tmp_path, capsys)[0] == 0
    other = replace(plan, run="2027")
    cases = {
        "at least 4 sites, got aggregator; not signed by h0": signed_by(consortium, names[:1], plan, 7.0),
        "got aggregator, h0, h1, h2; not": signed_by(consortium, names[:4], plan, 7.0),
        "by the aggregator and": signed_by(consortium, names[1:], plan, 7.0),
        "average must be the one": true | {"average": [999.0]},
        "another run": signed_by(consortium, names, other, 7.0),
        "another one": true | {"plan": json.loads(other.text())},
        "average must be numbers": true | {"average": ["7"]},
        "dropped out must be all": signed_by(consortium, names, plan, 7.0, dropped=[]),
        "and those that dropped out": signed_by(consortium, names, plan, 7.0, sites=None),
        "release, its plan": {"release": true["release"]},
    }
    for words, found in cases.items():
        code, told = verified_by_command(found, plan, tmp_path, capsys)
        assert code == 2 and words in told, (words, told)
        if words not in ("another run", "dropped out must be all"):
            with pytest.raises(NoReceipt):
                opened(json.dumps(found).encode())


def test_a_folder_of_receipts_that_is_missing_is_an_error(run, tmp_path, capsys):
    consortium, _, _ = run
    command = ["ledger", "verify", str(consortium.folder(0)), "--receipts"]
    assert main([*command, str(tmp_path / "none")]) == 2
    assert "receipts must be a folder" in capsys.readouterr().err
    for number, data in enumerate((b"[]", b"[" * 10**5, b'{"ledgers": 3}', b'{"ledgers": [3]}')):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "r.json").write_bytes(data)
        assert main([*command, str(tmp_path / f"{number}")]) == 2
        assert "receipt" in capsys.readouterr().err


def test_a_receipt_is_verified_with_cryptography_and_the_standard_library_alone(run, tmp_path):
    """All other packages are made to fail, also `core` itself."""
    consortium, centre, _ = run
    plan = tmp_path / "plan.json"
    plan.write_text(consortium.plan.text())
    program = f"""
import sys
class No:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top not in sys.stdlib_module_names and top not in ("cryptography", "_cffi_backend", "cffi", "_rust"):
            raise ImportError(name)
sys.meta_path.insert(0, No())
sys.argv = ["receipt.py", {str(centre.place / "receipt.json")!r}, {str(plan)!r}]
import runpy
runpy.run_path({receipt.__file__!r}, run_name="__main__")
"""
    told = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert "signed by 5 of 6" in told.stdout and "not by h4" in told.stdout
