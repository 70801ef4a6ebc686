"""Each attack's test is red if what it is about is taken out: a list of tests, and of faults that are planted for them."""

import importlib.util
import inspect
import os
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest
from desks import Consortium

from core.desk import agreement, commands, desk, files, heads, ledger, letters, receipt, records
from core.desk.centre import Centre
from core.desk.desk import Desk
from core.desk.keys import Key
from core.desk.ledger import Ledger, moment
from core.discrete import OPERATING_SYSTEM
from core.parties import Plan
from core.parties.messages.letter import read
from core.parties.source import Source

pytestmark = pytest.mark.slow


def nothing(*given, **options):
    """What refuses nothing."""


def yes(*given, **options):
    """What is satisfied by everything."""
    return True


def with_float(self, *given, original=Desk._with_head):
    """A packet with a number in floating point beside what it has."""
    letter = read(original(self, *given))
    return replace(letter, content=letter.content | {"more": np.zeros(1)}).data()


def at_its_own_time(self, kind, *, time, original=Ledger.add, **more):
    """An entry with the time at which the packet left, not that of its join."""
    late = (moment(time) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return original(self, kind, time=late if kind == "spent" else time, **more)


def of_any_plan(self, plan):
    """What was agreed to, of any plan and with any records."""
    self.place(plan).mkdir(exist_ok=True)
    return {"number": 0}, np.load(self.place(self.plans()[0]) / "records.npy")


def by_anybody(cls, folder):
    """A key that others may read."""
    return cls((folder / "key").read_bytes())


def unchained(line):
    """A line says itself what its hash is."""
    return line.get("hash") or records.digest(records.canonical(dict(line)))


def as_it_is(data, keys):
    """A letter whose signature nobody looks at."""
    return read(letters.bare(data))


def followed(path, most=2**20, links=True):
    """A file that may be a link."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(handle, most + 1)
    finally:
        os.close(handle)


def scaled(factor):
    """Noise of another standard deviation than the plan's."""

    def draw(self, std, parts=1, *, original=Source.draw):
        return original(self, factor * std, parts)

    return [(Source, "draw", draw)]


def terms(plan, *, original=receipt._terms):
    """One signature is enough."""
    return *original(plan)[:3], 0


def longer(head, chain, before):
    """A ledger that has grown since."""
    return head.n >= before.n


def anew(secret, purpose):
    """Bits that are drawn whenever they are asked for."""
    return OPERATING_SYSTEM


SAME = "a_folder_put_back_sends_the_very_same_bytes"
HEADS = [(Centre, "_compare_head", nothing), (Desk, "_compare_head", nothing)]
SIGNED = [(letters, "verifies", yes)]
FLOATS = [(Desk, "_with_head", with_float)]
NO_CEILING = [(Desk, "_refuse_beyond", nothing)]
ANY_NAME = re.compile(r"^([0-9a-f]{64})-(\d{1,12}).*\.letter$")
ROSTER = [(Plan, "answers", lambda self, sites: max(2, sites - self.dropouts)), (Plan, "least", 2)]
CONVENTIONAL = {"change": {"scheme": "conventional"}, "words": "scheme"}
EARLY = {"at": "join", "silent": "h1, h4"}
LAW = "a_second_moment_gives_components_and_noise_of_the_planned_law"
CLOCK = "a_clock_that_was_set_is_found_by_the_others"
BYTES = "every_byte_of_a_ledger_counts_and_a_cut_tail_is_found_with_receipts"
FORGED = "forgeries_are_refused_by_name_and_change_nothing"
COPIES = "conflicted_copies_and_halves_are_left_alone"
# A test file, a test, what is taken out, and the test's own parameters.
FAULTS = [
    ("attacks", "a_copied_folder_that_is_used_twice_is_refused", HEADS),
    ("attacks", "a_site_refuses_an_old_head_that_the_aggregator_lets_pass", HEADS),
    ("desk", "a_ledger_that_was_put_back_is_refused_by_the_others", HEADS),
    (
        "heads",
        "a_ledger_that_was_cut_is_found_however_long_it_is",
        [(heads, "goes_on", longer)],
        {"extra": 2},
    ),
    ("restored_folders", SAME, [(desk, "Drawn", anew)], {"scheme": "cape-after", "kind": "roster"}),
    ("restored_folders", SAME, [(desk, "Drawn", anew)], {"scheme": "secure", "kind": "relay"}),
    (
        "series",
        "a_month_that_is_released_again_is_charged_in_addition",
        [(Ledger, "further", lambda self, month: dict(month))],
    ),
    ("attacks", CLOCK, [(Ledger, "refuse_earlier", nothing)], {"days": -31}),
    ("attacks", CLOCK, [(desk, "SPAN", 10**12)], {"days": 31}),
    ("attacks", "a_clock_within_the_span_is_let_pass", [(desk, "SPAN", 86400)]),
    ("attacks", "a_site_that_comes_back_after_a_day_goes_on", [(Ledger, "add", at_its_own_time)]),
    ("attacks", COPIES, [(files, "_NAME", ANY_NAME)]),
    (
        "attacks",
        COPIES,
        [(files, "_whole", lambda path, *given: path.read_bytes() if path.exists() else None)],
    ),
    ("attacks", "a_run_that_is_done_takes_no_records_again", [(Desk, "_forget", nothing)]),
    (
        "attacks",
        "an_average_is_signed_of_the_sum_that_was_unmasked_alone",
        [(desk, "_refuse_false", nothing)],
    ),
    ("attacks", "a_letter_of_a_site_holds_no_floating_point_array", FLOATS),
    ("desk", "no_letter_of_a_site_has_a_floating_point_number", FLOATS),
    ("desk", BYTES, [(ledger, "_hash", unchained)]),
    ("desk", BYTES, [(commands, "follows", yes)]),
    ("desk", "every_byte_of_a_letter_and_of_a_receipt_counts", [(letters, "opened", as_it_is)]),
    ("desk", "every_byte_of_a_letter_and_of_a_receipt_counts", [(receipt, "verifies", yes)]),
    ("desk", FORGED, SIGNED),
    ("desk", FORGED, [(Desk, "_compare", nothing)]),
    ("desk", "clock_records_and_plan_must_be_what_was_agreed", [(Desk, "_consented", of_any_plan)]),
    ("desk", "a_state_that_is_gone_draws_no_second_noise", [(Ledger, "has", lambda *given: False)]),
    ("desk", "a_ceiling_is_never_passed_and_a_refusal_is_an_entry", NO_CEILING),
    ("desk", "fewer_sites_than_planned_are_refused_before_anybody_spoke", ROSTER, EARLY),
    ("desk", "keys_are_read_by_their_owner_alone", [(Key, "kept", classmethod(by_anybody))]),
    (
        "desk",
        "what_is_no_release_is_refused_by_name",
        [(agreement, "SCHEMES", ("conventional",))],
        CONVENTIONAL,
    ),
    ("desk", "a_lost_answer_is_said_again_with_the_same_bytes", [(Desk, "_write", nothing)]),
    ("guide", "the_guide_leads_to_a_verified_receipt", [(commands, "_ceiling", nothing)]),
    ("kills", "two_rounds_at_once_have_room_for_one", NO_CEILING),
    ("statistics", LAW, scaled(2 / 3)),
    ("statistics", LAW, scaled(3 / 2)),
    ("malformed", "what_nobody_of_the_plan_signed_is_not_parsed", SIGNED),
    ("hostile_folders", "pipes_devices_links_and_folders_are_no_letters", [(records, "read", followed)]),
    (
        "receipt",
        "verify_is_satisfied_by_the_planned_number_of_signatures_alone",
        [(receipt, "_terms", terms)],
    ),
    ("receipt", "an_altered_receipt_is_refused_by_name", [(receipt, "digest_of", lambda average: ANY)]),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault[0]}-{fault[1]}-{fault[2][0][1]}")
def test_is_red_at_its_fault(fault, request, tmp_path, monkeypatch):
    """The test by itself stays green, as it is run among the others; here it has to fail by an assertion of its own."""
    name, test, taken, *more = fault
    module = module_of(name)
    asked = getattr(module, f"test_{test}")
    given = dict(*more) | arguments(module, asked, request, tmp_path)
    for owner, attribute, fault in taken:
        monkeypatch.setattr(owner, attribute, fault)
    with pytest.raises((AssertionError, LookupError, pytest.fail.Exception)):
        asked(**given)


def module_of(name):
    """A test file of this folder."""
    place = Path(__file__).with_name(f"test_{name}.py")
    spec = importlib.util.spec_from_file_location(f"planted_{name}", place)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def arguments(module, test, request, tmp_path):
    """What a test asks for beside its parameters: fixtures of pytest, consortia of five or three sites, a run."""
    made = {
        "five": lambda: Consortium(tmp_path / "own").agree(),
        "three": lambda: Consortium(tmp_path / "own", sites=3, dropouts=0).agree(),
        "run": lambda: module.carried(tmp_path / "run"),
    }
    known = {"tmp_path", "monkeypatch", "capsys"}
    names = [name for name in inspect.signature(test).parameters if name in {*made, *known}]
    return {name: made[name]() if name in made else request.getfixturevalue(name) for name in names}
