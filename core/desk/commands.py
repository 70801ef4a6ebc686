"""The commands of a desk: `cape-lab site …`, `aggregate`, `ledger` and `verify`; also `python -m core.desk`.

They import no web server: this is what runs on a machine that guards records.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core import check
from core.desk import local_socket, receipt, records
from core.desk.agreement import checked_plan, fewest, opening_two
from core.desk.centre import Centre
from core.desk.desk import LEDGER, Desk, about_site
from core.desk.files import Folders
from core.desk.heads import head_of
from core.desk.keys import fingerprint
from core.desk.ledger import Ledger, follows
from core.desk.result import rows_of
from core.desk.running import centre_round, send, site_round
from core.desk.table import columns_of, records_of
from core.parties import Plan
from core.parties.messages.refusals import TooFewSites
from core.parties.plan_file import LIMIT
from core.parties.second_version import DRAWS

_PAUSE = 1.0  # Seconds between two looks at the folders.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it did what was asked, 2 for what is refused, with the reason on the error output."""
    asked = _parser().parse_args(arguments)
    try:
        return asked.run(asked) or 0
    except (ValueError, OSError, TooFewSites) as error:
        print(f"cape-lab: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130  # As a shell says it; everything stands in files.


def site(given: Sequence[str]) -> int:
    """`cape-lab site …`."""
    return main(["site", *given])


def aggregate(given: Sequence[str]) -> int:
    """`cape-lab aggregate …`."""
    return main(["aggregate", *given])


def ledger(given: Sequence[str]) -> int:
    """`cape-lab ledger …`."""
    return main(["ledger", *given])


def plan(given: Sequence[str]) -> int:
    """`cape-lab plan …`."""
    return main(["plan", *given])


def verify(given: Sequence[str]) -> int:
    """`cape-lab verify …`."""
    return main(["verify", *given])


def _parser():
    parser = argparse.ArgumentParser(prog="cape-lab", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    of_site = commands.add_parser("site", help="a site's desk").add_subparsers(required=True)
    init = of_site.add_parser("init", help="a new key and ledger; prints the public key for the plan")
    init.add_argument("folder")
    init.add_argument("--new-key", action="store_true", help="change the key of a desk; its ledger goes on")
    init.set_defaults(run=_init)
    ceiling = of_site.add_parser("ceiling", help="what a year may spend: EPSILON,DELTA")
    ceiling.add_argument("folder")
    ceiling.add_argument("target", metavar="EPSILON,DELTA")
    ceiling.add_argument("--observer", default="aggregator", choices=("message", "aggregator", "colluders"))
    ceiling.add_argument("--reason", required=True)
    ceiling.set_defaults(run=_ceiling)
    consent = of_site.add_parser("consent", help="agree to a plan with records of your own")
    for name in ("folder", "plan", "records"):
        consent.add_argument(name)
    consent.add_argument("--yes", action="store_true", help="agree without being asked")
    consent.set_defaults(run=_consent)
    run = of_site.add_parser("run", help="carry out what was agreed to, over two folders or a socket")
    run.add_argument("folder")
    _pipes(run)
    run.add_argument("--once", action="store_true", help="look once, and end")
    run.set_defaults(run=_run)
    centre = commands.add_parser(
        "aggregate", help="lead a plan through its rounds, over two folders or a socket"
    )
    centre.add_argument("plan", nargs="?")
    centre.add_argument("folder")
    centre.add_argument("--init", action="store_true", help="a new key, whose public half goes into the plan")
    _pipes(centre)
    centre.add_argument("--close", action="store_true", help="end this round without those that are silent")
    centre.add_argument("--once", action="store_true", help="look once, and end")
    centre.set_defaults(run=_aggregate)
    kept = commands.add_parser("ledger", help="what a site has spent")
    kept.add_argument("what", choices=("show", "verify"))
    kept.add_argument("folder")
    kept.add_argument("--receipts", help="a folder of receipts of others")
    kept.set_defaults(run=_ledger)
    checked = commands.add_parser("verify", help="check a receipt")
    checked.add_argument("receipt")
    checked.add_argument("--keys", required=True, help="the plan")
    checked.add_argument("--letters", help="a folder of letters, from which the average is computed anew")
    checked.set_defaults(run=_verify)
    keyed = commands.add_parser("plan", help="put keys and a run into a plan that was saved")
    keyed.add_argument("plan")
    keyed.add_argument(
        "keys", nargs="*", metavar="NAME=KEY", help="public keys of the sites and of 'aggregator'"
    )
    keyed.add_argument("--run", dest="further", help="a further release of the plan, such as 2026-05")
    keyed.add_argument("--out", required=True)
    keyed.set_defaults(run=_plan)
    return parser


def _pipes(parser):
    parser.add_argument("--files", nargs=2, metavar=("IN", "OUT"))
    parser.add_argument("--socket", help="a Unix socket for the node of an engine, in place of folders")


def _init(asked):
    desk = Desk.renew(asked.folder) if asked.new_key else Desk.init(asked.folder)
    print(f"public key: {desk.key.public}\nin words:   {fingerprint(desk.key.public)}")


def _ceiling(asked):
    try:
        epsilon, delta = map(float, asked.target.split(","))
    except ValueError:
        raise ValueError(f"target must be EPSILON,DELTA such as 2,1e-5, got {asked.target!r}") from None
    Desk(asked.folder).set_ceiling(epsilon, delta, observer=asked.observer, reason=asked.reason)
    print(f"a year may spend epsilon {epsilon:g} at delta {delta:g}, against {asked.observer}")


def _consent(asked):
    plan = _plan_in(asked.plan)
    table = records_of(plan, asked.records)
    desk = Desk(asked.folder)
    desk.refuse_unfit(plan, table)
    print(in_words(plan, len(table), desk))
    if not asked.yes and _answer("Agree? Type yes: ") != "yes":
        print("nothing was agreed to")
        return 1
    number = desk.consent(plan, table)
    print(f"agreed, as {plan.sites[number].name}")
    return 0


def _answer(question):
    """What is typed; ValueError, with what to do, where nobody can type."""
    try:
        return input(question).strip()
    except EOFError:
        raise ValueError(
            "agreement must be typed, and the input has ended: start this in a terminal, or add --yes after you have read "
            "and compared the words; nothing was agreed to"
        ) from None


def in_words(plan: Plan, count: int, desk: Desk) -> str:
    """What a site agrees to, in plain words: what is released, what it costs, and what is left of the year."""
    names = ", ".join(map(_column_in_words, plan.columns or ()))
    lines = [
        # First, in one line: what its writer says is followed by what this desk says.
        *([f"Note of the plan's writer: {' '.join(plan.note.split())}"] if plan.note else []),
        f"Plan {plan.id[:16]}, run {plan.run}: {plan.statistic.name} of {names}, of {count} records.",
        f"Scheme {plan.scheme}, in whole numbers; held against "
        + (
            "the aggregator"
            if plan.against == "aggregator"
            else f"the aggregator and {plan.colluding} colluding sites"
        )
        + f", and {plan.dropouts} of {len(plan.sites)} sites may drop out.",
        *_costs(plan, desk),
        f"An aggregator with the folders or the help of {opening_two(plan)} of {len(plan.sites)} sites could open two sums "
        "of this run; with fewer it cannot.",
        *(f"  {name}: {fingerprint(key)}" for name, key in plan.keys or ()),
        "Compare these words with each site and the aggregator by telephone.",
        *(
            [
                f"A run of a series of {plan.series.months} months: you say that a person is in at most {plan.series.most} "
                "of its runs, with those that sent a packet and failed. Your ledger counts on it, so that a further month "
                "may cost nothing. Records that an earlier run has sent, by whatever name, are charged in addition to it."
            ]
            if plan.series
            else []
        ),
    ]
    return "\n".join(lines)


def _column_in_words(column):
    unit = f" ({column.unit})" if column.unit else ""
    if column.categories is not None:
        return f"{column.name}{unit}, counted: {', '.join(column.categories)}"
    if column.lower is None:
        return column.name + unit
    return f"{column.name}{unit}, clipped to {column.lower:g} to {column.upper:g}"


def _costs(plan, desk):
    """ε, δ and observer of the release, and of the ceiling with what is left; what is left rounds down."""
    own = [site for site in plan.sites if dict(plan.keys or ()).get(site.name) == desk.key.public]
    observer = "the aggregator" if plan.against == "aggregator" else "the aggregator and colluding sites"
    for site in own:
        if site.privacy is not None:
            yield (
                f"It costs each of your records, as {site.name}, epsilon {site.privacy.epsilon:g} at delta "
                f"{site.privacy.delta:g}, against {observer}."
            )
    ceiling, room = desk.ledger.ceiling, desk.room()
    if ceiling is None:
        yield "No ceiling of a year is set; without one nothing is agreed to."
        return
    whole = room == ceiling.privacy.epsilon  # Nothing is spent: rounding down would take from it.
    left = f"at most epsilon {f'{room:g}' if whole else check.downwards(room, 4)}" if room else "nothing"
    yield (
        f"Your year's ceiling is epsilon {ceiling.privacy.epsilon:g} at delta {ceiling.privacy.delta:g}, against "
        f"{ceiling.observer}; before this release, {left} is left for one more at that delta."
    )


_PHASES = {
    "agreed": "agreed to",
    "joined": "joined; waits for the other sites",
    "sharing": "sent shares of its keys; no number of the records has left",
    "masked": "sent its packet, and the ledger is charged",
    "sent": "helped to unmask the sum; waits for the average",
    "done": "done: the average is signed, the records are deleted here. Ctrl-C ends this program",
}


_KEEPS = (
    ". Its records stay in {} until the average comes. If the aggregator goes on without this site, none comes: delete that "
    "folder then"
)


def _tell_progress(desk, told):
    for plan in desk.plans():
        try:
            phase = desk.phase(plan)
        except ValueError:  # Its round has told why.
            continue
        line = f"plan {plan.id[:8]}, run {plan.run}: {_PHASES.get(phase, phase)}"
        if phase not in ("agreed", "done"):
            line += _KEEPS.format(desk.place(plan))
        if line not in told:
            told.add(line)
            print(line, flush=True)


def _run(asked):
    desk, told = Desk(asked.folder), set[str]()
    if asked.socket:

        def answer(letters, close):
            desk = Desk(asked.folder)  # Made anew for every question: another program may have written.
            found = local_socket.desk_answer(desk, letters, close)
            _tell_progress(desk, told)
            return found

        local_socket.serve(asked.socket, answer, on_refused=lambda refused: _tell(refused, told))
        return
    folders = _folders(asked)
    while True:
        found = site_round(desk, folders)
        _tell(found.refused, told)
        _tell_progress(desk, told)
        if asked.once:
            return
        time.sleep(_PAUSE)


def _aggregate(asked):
    if asked.init:
        key = Centre.init(asked.folder)
        print(f"public key: {key.public}\nin words:   {fingerprint(key.public)}")
        return
    if asked.plan is None:
        raise ValueError("plan must be given, and --files IN OUT or --socket PATH")
    centre, told = Centre(asked.folder, _plan_in(asked.plan)), set[str]()
    if asked.socket:
        answer = lambda letters, close: local_socket.centre_answer(centre, letters, close)  # noqa: E731
        local_socket.serve(
            asked.socket, answer, on_refused=lambda refused: _tell(refused, told), forever=False, tells=True
        )
        _tell_result(centre)
        return
    folders = _folders(asked)
    _tell(centre_round(centre, folders).refused, told)
    if asked.close:
        _tell(send(centre, folders, centre.close()), told)
    while not asked.once and not (centre.phase == "done" and centre.enough):
        time.sleep(_PAUSE)
        _tell(centre_round(centre, folders).refused, told)
    _tell_result(centre)


def _tell_result(centre):
    if centre.value is None:
        print(f"phase {centre.phase}; waits for {', '.join(centre.waits_for) or 'nobody'}")
        return
    sites, silent = len(centre.plan.sites), centre.unsigned
    many = "enough" if centre.enough else "too few"
    told = f"phase done; signed by {sites - len(silent)} of {sites} sites, {many} for a receipt"
    print(told + f"; not signed by {', '.join(silent)}" * bool(silent))
    dropped = receipt.verified(centre.receipt["release"]).predicate["dropped"]
    for row in rows_of(centre.plan, centre.value, dropped) if centre.plan.columns else ():
        for label, value in zip(row.labels or ("",), row.values, strict=True):
            noise = "" if row.std is None else f", with noise of standard deviation {row.std:.4g}"
            print(
                " ".join(
                    filter(
                        None,
                        (f"{row.name}:" if not label else f"{row.name}, {label}:", f"{value:.6g}", row.unit),
                    )
                )
                + noise
            )
    print(f"average: {centre.place / 'average.f8'}\nreceipt: {centre.place / 'receipt.json'}")


def _plan_in(path):
    """The plan of a file that the user names."""
    return Plan.read(records.read(Path(path), most=LIMIT, links=True))


def _folders(asked):
    if asked.files is None:
        raise ValueError("--files IN OUT or --socket PATH must be given")
    return Folders(*asked.files)


def _plan(asked):
    saved = _plan_in(asked.plan)
    columns_of(saved)
    plan = with_keys(saved, asked.keys, asked.further)
    Path(asked.out).write_text(plan.text(), encoding="utf-8")
    print(f"plan {plan.id[:16]}, run {plan.run}, in {asked.out}")
    for name, key in plan.keys or ():
        print(f"  {name}: {fingerprint(key)}")


def with_keys(plan: Plan, given: Sequence[str], run: str | None = None) -> Plan:
    """The plan with keys "NAME=KEY" of every site and of the aggregator, the sampler's name, the threshold, and another run.

    Raises
    ------
    ValueError
        For a key that is missing or none, and for a plan that no desk carries out.
    """
    keys = dict(plan.keys or ())
    for text in given:
        name, sign, key = text.rpartition("=")
        if not sign:
            raise ValueError(f"keys must be NAME=KEY, got {text!r}")
        keys[name] = key.strip()
    draw, threshold = plan.draw or DRAWS[0], plan.threshold or fewest(plan)
    run = plan.run if run is None else run
    return checked_plan(replace(plan, keys=keys, draw=draw, threshold=threshold, run=run))


def _ledger(asked):
    folder = Path(asked.folder)
    ledger = Ledger(folder / LEDGER)
    if asked.what == "show":
        for line in ledger.lines:
            print(json.dumps({name: value for name, value in line.items() if name != "prev"}))
        return 0
    if ledger.unfinished:
        raise ValueError(
            f"ledger must end with a whole line, and has {ledger.unfinished} bytes without an end after line "
            f"{ledger.head.n}: its program was stopped in an entry, or the file was cut; the next entry takes their place"
        )
    print(f"{len(ledger.lines)} lines, unbroken; head {ledger.head.n} {ledger.head.hash[:16]}")
    about = about_site(folder)
    keys = {
        about["key"],
        *about.get("before", ()),
    }  # Receipts of earlier keys hold heads of this ledger, too.
    if asked.receipts and not Path(asked.receipts).is_dir():
        raise ValueError(f"receipts must be a folder of receipts, got {asked.receipts!r}, which is none")
    for path in sorted(Path(asked.receipts).glob("*.json")) if asked.receipts else ():
        found = receipt.parsed(records.read(path, most=receipt.MOST_BYTES))
        ledgers = found.get("ledgers", []) if isinstance(found, dict) else None
        if not isinstance(ledgers, list):
            raise receipt.NoReceipt(f"receipt must have ledgers in a list, and {path.name} has none")
        for envelope in ledgers:
            said = receipt.verified(envelope, kind=receipt.HEAD)
            if keys.issuperset(said.signed) and not follows(
                ledger.lines, head_of(said.predicate.get("head"))
            ):
                raise ValueError(
                    f"ledger must have line {said.predicate['head'][0]} as {path.name} holds it: it was cut or put back"
                )
    return 0


def _verify(asked):
    code = receipt.tell(Path(asked.receipt), Path(asked.keys))
    if code or not asked.letters:
        return code
    from core.desk.recomputed import recomputed

    if not (folder := Path(asked.letters)).is_dir():
        raise ValueError(f"letters must be a folder of letters, got {asked.letters!r}, which is none")
    found = receipt.read(Path(asked.receipt))
    plan, said = Plan.from_dict(found["plan"]), receipt.verified(found["release"])
    if (average := recomputed(plan, said, folder)) is None:
        raise ValueError(
            f"letters must be all of this run's, of the sites and of the aggregator; those in {asked.letters} do not add up "
            "to an average: some are missing, and nothing is said against the receipt"
        )
    if average != said.subject:
        raise ValueError("average must be the sum of the letters, and is another one")
    print("computed anew from the letters: the same average")
    return 0


def _tell(refused, told):
    for reason in refused:
        if reason not in told:
            told.add(reason)
            print(f"refused: {reason}", file=sys.stderr)
