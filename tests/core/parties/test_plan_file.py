"""The plan's file: what is read, what is refused, and that nobody who writes it weakens a site's guarantee unseen."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import party_plans
import pytest

from core import Privacy, parties, pca
from core.discrete import OperatingSystem
from core.parties import Member, Plan, Site, Statistic, plan_file, plan_of
from core.parties.second_version import DRAWS, Column, SeriesTerms
from core.pca.private_mean import joint_sensitivity
from core.privacy import gaussian_mu
from core.summaries import Summary

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "plan.json"
TARGET = Privacy(1.0, 1e-5)
MEAN = Statistic("mean", (), 0.0, 12.0)
GRAPH = {"sites": 3, "edges": [[0, 1], [1, 2]]}


def file_of(plan, **changes):
    return json.dumps(plan.to_dict() | changes).encode()


def test_the_published_schema_is_current_and_accepts_what_is_saved():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    # If it fails: Path("docs/schemas/plan.json").write_text(plan_file.schema()).
    assert schema == json.loads(plan_file.schema())
    validator = jsonschema.Draft202012Validator(schema)
    for form in party_plans.FORMS:
        validator.validate(json.loads(party_plans.plan(4, *form).text()))
    least = {
        "format": "CAPE Lab plan",
        "version": 1,
        "statistic": MEAN_ENTRY,
        "sites": [ROW, ROW | {"name": "b"}],
    }
    validator.validate(least)
    # What the model says of entries that are left out is what a plan says of them.
    read = Plan.from_dict(least)
    assert read == Plan(MEAN, read.sites)
    for wrong in (least | {"surplus": 1}, least | {"scheme": 3}, least | {"sites": [ROW]}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(wrong)


MEAN_ENTRY = {"name": "mean", "lower": 0, "upper": 12}
ROW = {"name": "a", "records": 200, "weight": 0.5, "sensitivity": 0.06, "epsilon": 1, "delta": 1e-5}


def test_a_note_is_for_people_and_a_plan_without_one_keeps_its_identifier():
    plan = party_plans.plan(4, *party_plans.FORMS[0])
    noted = replace(plan, note="Promise ε = 1.")
    assert Plan.read(noted.text().encode()) == noted
    assert noted.to_dict() == plan.to_dict() | {"note": noted.note}
    hidden = (
        "a\nb",
        "a\rb",
        "a\tb",
        "\x1b[2J",
        "\x9b2J",
        "a\u202eb",
        "a\u2066b",
        "a\u200bb",
        "a\u2028b",
        "\x00",
    )
    for wrong in ("x" * 1001, 3, *hidden):
        with pytest.raises(ValueError, match=r"note"):
            replace(plan, note=wrong)


def test_a_file_of_version_0_1_0_is_read():
    # As "Save a plan for the sites" wrote it, with whole numbers where the page had such; its id is of that text.
    written = """{"format": "CAPE Lab plan", "version": 1,
     "id": "e2b4a0b2e0a9be7d3eb79bbf97b8ba0a8fd6b5f4c1f6cd5b1c8f6d8de6c6ff0b",
     "statistic": {"name": "mean", "shape": [], "lower": 0, "upper": 1},
     "sites": [{"name": "a", "records": 100, "weight": 0.5, "sensitivity": 0.01, "epsilon": 1, "delta": 1e-05},
               {"name": "b", "records": 100, "weight": 0.5, "sensitivity": 0.01, "epsilon": 1, "delta": 1e-05}],
     "scheme": "cape", "zero_sum": "secure", "noise": "iid", "calibration": "exact", "against": "message",
     "colluding": 0, "dropouts": 0, "amplitude": null, "graph": null, "threshold": null, "grid": null, "run": "1"}"""
    found = json.loads(written)
    with pytest.raises(ValueError, match=r"^id must"):
        Plan.read(written.encode())
    found["id"] = plan_file.identifier(found)
    plan = Plan.read(json.dumps(found).encode())
    assert Plan.read(plan.text().encode()) == plan and plan.statistic.upper == 1


@pytest.mark.parametrize(
    "change, words",
    [
        ({"format": "x"}, "format"),
        ({"version": 3}, "version"),
        ({"cap": 50.0}, "version"),
        ({"version": True}, "version"),
        ({"surplus": 1}, "surplus"),
        ({"sites": []}, "sites"),
        ({"sites": [ROW, ROW | {"weight": "0.5"}]}, r"sites\.1\.weight"),
        ({"sites": [ROW, ROW | {"records": 200.5}]}, r"sites\.1\.records"),
        ({"sites": [ROW, ROW | {"delta": None}]}, r"sites\.1"),
        ({"sites": [ROW, ROW | {"colour": 1}]}, r"sites\.1\.colour"),
        ({"scheme": "no such"}, "scheme"),
        ({"statistic": MEAN_ENTRY | {"colour": 1}}, r"statistic\.colour"),
        ({"statistic": MEAN_ENTRY | {"shape": [10**9]}}, r"statistic\.shape"),
        ({"statistic": MEAN_ENTRY | {"shape": [2**20, 2**20]}}, "shape"),
        ({"colluding": 3}, "colluding"),
        ({"threshold": 99}, "threshold"),
        ({"graph": {"sites": 4, "edges": [[0, 1]]}}, "edges"),
        ({"graph": {"sites": 4, "edges": [[0, 1, 2]]}}, "graph"),
        ({"amplitude": "loud"}, "amplitude"),
        ({"noise": "loud"}, "noise"),
        ({"run": ""}, "run"),
    ],
)
def test_foreign_text_is_no_plan(change, words):
    with pytest.raises(ValueError, match=words):
        Plan.read(file_of(party_plans.plan(4, "cape"), **change))


def test_a_key_that_is_there_twice_numbers_that_are_none_and_depth_are_refused():
    text = plan_of(MEAN, [200, 300], TARGET).text()
    for old, new, word in (
        ('"epsilon": 1.0', '"epsilon": 1.0, "epsilon": 9.0', "epsilon"),
        ('"run": "1"', '"run": "1", "noise": "iid"', "noise"),
        ('"upper": 12.0', '"upper": NaN', "NaN"),
        ('"upper": 12.0', '"upper": 1e999', "1e999"),
        ('"run": "1"', '"run": ' + "[" * 50 + "]" * 50, "within each other"),
    ):
        assert old in text
        with pytest.raises(ValueError, match=word):
            Plan.read(text.replace(old, new, 1).encode())


# Known statistics imply their sensitivity.

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_implied_change_of_a_mean_is_reached_and_never_exceeded(d):
    plan = Statistic("mean", (d,), -1.0, 3.0)
    low, high = np.full((1, d), -1.0), np.full((1, d), 3.0)
    assert np.linalg.norm(plan.of(low) - plan.of(high)) == pytest.approx(plan.change, rel=1e-12)
    assert plan.change == pytest.approx(4 * math.sqrt(d))
    pairs = [np.linalg.norm(plan.of(a) - plan.of(b)) for a, b in RNG.normal(1, 9, (200, 2, 1, d))]
    assert max(pairs) <= plan.change * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("norm", [1.0, 2.5])
def test_the_implied_change_of_a_second_moment(d, norm):
    plan = Statistic("second moment", (d, d), norm=norm)
    pairs = [np.linalg.norm(plan.of(a) - plan.of(b)) for a, b in RNG.normal(0, 9, (600, 2, 1, d))]
    axes = np.eye(d)[:1] * 50, np.eye(d)[-1:] * 50 * (d > 1)
    pairs.append(np.linalg.norm(plan.of(axes[0]) - plan.of(axes[1])))
    assert max(pairs) == pytest.approx(plan.change, rel=1e-9)
    assert plan.change == pytest.approx(float(pca.sensitivity(1, bound=norm, width=d)))


def test_the_implied_change_of_shares_holds_for_records_in_several_cells_too():
    plan = Statistic("shares", (3,), 0.0, 1.0)
    rows = np.concatenate([np.eye(3), RNG.integers(0, 2, (60, 3)), RNG.normal(0, 3, (200, 3))])
    sent = np.array([plan.of(row[None]) for row in rows])
    changes = np.linalg.norm(sent[:, None] - sent[None], axis=2)
    assert changes.max() == pytest.approx(plan.change) == pytest.approx(math.sqrt(2))


SEVERAL = (Summary("mean", -1.0, 3.0), Summary("proportion"), Summary("histogram", 0.0, 9.0, cells=3))


def test_the_implied_change_of_several_columns_in_one_release_is_reached_and_never_exceeded():
    plan = Statistic("summaries", (5,), parts=SEVERAL)
    rows = np.array(list(itertools.product((-9.0, 1.0, 9.0), (0.0, 1.0), (0.0, 4.0, 9.5))))
    sent = np.array([plan.of(row[None]) for row in rows])
    changes = np.linalg.norm(sent[:, None] - sent[None], axis=2)
    assert changes.max() == pytest.approx(plan.change, rel=1e-12) == pytest.approx(2.0)
    found = Plan.read(plan_of(plan, [200, 300], TARGET).text().encode())
    assert found.statistic == plan and found.sites[0].sensitivity == pytest.approx(2 / 200)
    with pytest.raises(ValueError, match=r"^statistic"):
        Site(found, 0, np.full(5, 1.5))


@pytest.mark.parametrize("d", [1, 3])
def test_the_implied_change_of_both(d):
    plan = Statistic("second moment and mean", (d * d + d,), norm=1.0, share=0.3)
    assert plan.change == pytest.approx(joint_sensitivity(1, share=0.3, width=d))
    pairs = [np.linalg.norm(plan.of(a) - plan.of(b)) for a, b in RNG.normal(0, 9, (1500, 2, 1, d))]
    assert 0.9 * plan.change < max(pairs) <= plan.change * (1 + 1e-9)


@pytest.mark.parametrize(
    "statistic, change",
    [
        (MEAN, 12.0),
        (Statistic("mean", (100,), 0.0, 12.0), 120.0),
        (Statistic("mean", (2, 2), -1.0, 1.0), 4.0),
        (Statistic("second moment", (3, 3), norm=2.0), 4 * math.sqrt(2)),
        (Statistic("shares", (4,), 0.0, 1.0), math.sqrt(2)),
        (
            Statistic("second moment and mean", (12,), norm=1.0, share=0.1),
            float(joint_sensitivity(1, share=0.1)),
        ),
    ],
)
@pytest.mark.parametrize("factor", [1 / 60, 0.5, 0.999])
def test_a_sensitivity_below_the_implied_one_is_refused(statistic, change, factor):
    honest = plan_of(statistic, [200, 300], TARGET)
    assert honest.sites[0].sensitivity == pytest.approx(change / 200)
    rows = honest.to_dict()["sites"]
    rows[1]["sensitivity"] *= factor
    with pytest.raises(ValueError, match=r"^sensitivity .*1"):
        Plan.read(file_of(honest, sites=rows))
    with pytest.raises(ValueError, match=r"^change"):
        plan_of(statistic, [200, 300], TARGET, change=factor * change)
    rows[1]["sensitivity"] /= factor / 2  # More noise than is needed is nobody's loss of privacy.
    assert Plan.read(file_of(honest, sites=rows)).promise(1, change / 300).message < 0.14


@pytest.mark.parametrize(
    "bounds, word",
    [
        ({"name": "mean", "lower": 0.0}, "upper"),
        ({"name": "mean"}, "lower"),
        ({"name": "mean", "lower": 2.0, "upper": 1.0}, "upper"),
        ({"name": "mean", "lower": 0.0, "upper": 1.0, "norm": 1e-9}, "norm"),
        ({"name": "median", "upper": 1.0}, "lower"),
        ({"name": "second moment", "shape": (3, 3)}, "norm"),
        ({"name": "shares", "shape": (3,), "lower": 0.0, "upper": 2.0}, "upper"),
        ({"name": "summaries", "shape": (1,)}, "parts"),
        ({"name": "summaries", "shape": (2,), "parts": (Summary("proportion"),)}, "shape"),
        ({"name": "second moment", "shape": (3, 2), "norm": 1.0}, "shape"),
        ({"name": "second moment", "shape": (9,), "norm": 1.0}, "shape"),
        ({"name": "second moment", "shape": (3, 3), "norm": 1.0, "upper": 1.0}, "upper"),
        ({"name": "second moment and mean", "shape": (12,), "norm": 1.0}, "share"),
        ({"name": "second moment and mean", "shape": (12,), "norm": 0.5, "share": 0.1}, "norm"),
        ({"name": "second moment and mean", "shape": (11,), "norm": 1.0, "share": 0.1}, "shape"),
    ],
)
def test_bounds_are_those_that_the_statistic_needs(bounds, word):
    with pytest.raises(ValueError, match=rf"^{word}"):
        Statistic(**bounds)


def test_a_site_takes_its_own_word_for_what_the_plan_cannot_imply():
    unknown = plan_of(Statistic("median", (), 0.0, 12.0), [200, 300], TARGET, change=1e-6)
    with pytest.raises(ValueError, match=r"^sensitivity must"):
        Site(unknown, 0, 3.0)
    with pytest.raises(ValueError, match=r"^sensitivity .*0"):
        Site(unknown, 0, 3.0, sensitivity=0.01)
    assert Site(unknown, 0, 3.0, sensitivity=1e-9).join()
    silent = Plan(MEAN, tuple(Member(n, 0.5, 1e-6, TARGET) for n in "ab"))
    with pytest.raises(ValueError, match=r"^records must"):
        Site(silent, 0, 3.0)
    with pytest.raises(ValueError, match=r"^sensitivity .*0"):
        Site(silent, 0, 3.0, records=200)
    with pytest.raises(ValueError, match=r"^sensitivity .*0"):
        Site.of(silent, 0, np.full((200, 1), 3.0))
    lying = plan_of(MEAN, [10**6, 300], TARGET)
    with pytest.raises(ValueError, match=r"^records must.*1000000"):
        Site.of(lying, 0, np.full((200, 1), 3.0))


@pytest.mark.parametrize("epsilon, delta, valid", [(0.5, 1e-5, True), (1.0, 0.01, True), (10.0, 0.01, False)])
def test_a_published_calibration_is_refused_where_it_does_not_hold(epsilon, delta, valid):
    plan = plan_of(MEAN, [200, 300], Privacy(epsilon, delta))
    if valid:
        mus = [Plan.read(file_of(plan, calibration=how)).promise(0).message for how in ("published", "exact")]
        assert mus[0] < mus[1]
    else:
        with pytest.raises(ValueError, match=r"^calibration"):
            Plan.read(file_of(plan, calibration="published"))


@pytest.mark.parametrize("delta", [0.999999, 0.5, 0.11])
def test_a_delta_that_protects_nobody_is_refused(delta):
    with pytest.raises(ValueError, match="delta"):
        plan_of(MEAN, [200, 300], Privacy(1.0, delta))
    rows = [ROW, ROW | {"delta": delta}]
    with pytest.raises(ValueError, match="delta"):
        Plan.read(file_of(plan_of(MEAN, [200, 200], TARGET), sites=rows))


@pytest.mark.parametrize("scheme", ["nonprivate", "pooled"])
def test_a_scheme_that_shows_records_needs_consent_by_its_name(scheme):
    plan = party_plans.plan(3, scheme, "broadcast")
    for consent in ((), ("cape",), ("local", "")):
        with pytest.raises(ValueError, match=r"^consent"):
            Site(plan, 0, np.full(3, 0.5), consent=consent)
    site = Site(plan, 0, np.full(3, 0.5), consent=(scheme,))
    assert math.isinf(site.promise.message) and site.join()
    assert not party_plans.plan(3, "local").shows_records


def test_a_site_knows_what_it_agrees_to_from_its_own_sensitivity():
    plan = party_plans.plan(5, "cape", against="colluders", colluding=1, seed=3)
    for number, member in enumerate(plan.sites):
        own = Site(plan, number, np.full(3, 0.5), sensitivity=member.sensitivity / 2).promise
        full = plan.promise(number)
        assert own.message == pytest.approx(full.message / 2) and own.colluders == pytest.approx(
            full.colluders / 2
        )
    stated = plan.stated()
    assert max(plan.promise(n).aggregator for n in plan.numbers) == pytest.approx(stated.mu_aggregator)
    assert max(plan.promise(n).colluders for n in plan.numbers) == pytest.approx(stated.mu(1))


# A secure sum does not go on below its noise.


@pytest.mark.parametrize(
    "zero_sum, noise, at", [("secure", "discrete", "input"), ("broadcast", "iid", "message")]
)
def test_a_sum_of_fewer_than_were_promised_is_not_opened(zero_sum, noise, at):
    statistics = np.full((10, 3), 0.5)
    plan = party_plans.plan(10, "secure", zero_sum, noise, equal=True)
    with pytest.raises(parties.TooFewSites, match="10 sites"):
        parties.exchange(plan, statistics, silent={at: (1, 4, 7)})
    planned = replace(plan, dropouts=3)
    released = parties.exchange(planned, statistics, silent={at: (1, 4, 7)})
    target = party_plans.plan(10, "conventional", "broadcast", equal=True).stated().mu_message
    assert released.mu_aggregator <= target * (1 + 1e-3)
    with pytest.raises(parties.TooFewSites):
        parties.exchange(planned, statistics, silent={at: (1, 4, 5, 7)})
    # Who wants it to go on all the same says so in the plan, and every site learns what follows: √(10/7).
    lower = replace(plan, threshold=7)
    released = parties.exchange(lower, statistics, silent={at: (1, 4, 7)})
    assert released.mu_aggregator == pytest.approx(target * math.sqrt(10 / 7), rel=1e-3)
    assert lower.promise(0).aggregator == pytest.approx(released.mu_aggregator, rel=1e-6)
    assert plan.promise(0).aggregator == pytest.approx(target, rel=1e-3)


def test_sites_that_leave_before_they_spoke_are_left_out_of_a_sum():
    plan = party_plans.plan(6, "secure", "secure", "discrete", equal=True)
    released = parties.exchange(plan, np.full((6, 3), 0.5), silent={"shares": (2,)})
    assert released.absent == (2,) and released.mu_aggregator <= plan.stated().mu_aggregator * (1 + 1e-3)


@pytest.mark.parametrize("sites, colluding, dropouts", [(6, 0, 3), (6, 2, 2), (4, 0, 2), (3, 1, 1)])
def test_a_secure_sum_that_two_halves_could_open_is_refused(sites, colluding, dropouts):
    against = {"against": "colluders", "colluding": colluding} if colluding else {}
    with pytest.raises(ValueError, match=r"^dropouts"):
        party_plans.plan(sites, "secure", "secure", "discrete", dropouts=dropouts, **against)
    for scheme, noise in (("secure", "discrete"), ("cape", "iid")):
        half = (sites + colluding) // 2
        if half >= 2:
            with pytest.raises(ValueError, match=r"^threshold"):
                party_plans.plan(sites, scheme, "secure", noise, threshold=half, **against)
        assert party_plans.plan(sites, scheme, "secure", noise, threshold=half + 1, **against)


@pytest.mark.parametrize("sites", [2, 3, 4, 9])
def test_a_sum_of_noise_needs_more_than_half_against_every_number_of_colluders(sites):
    for colluding in range(sites):
        options = {"against": "colluders", "colluding": colluding} if colluding else {}
        try:
            plan = party_plans.plan(sites, "cape", **options)
        except ValueError:
            assert colluding == sites - 1  # Nobody is left for the noise to hide.
            continue
        assert 2 * plan.answers(sites) > sites + colluding


def test_no_refusal_tells_of_a_statistic():
    secret = 27_987_654.25
    for scheme, zero_sum, noise in party_plans.FORMS:
        plan = party_plans.plan(3, scheme, zero_sum, noise)
        for wrong in (np.full(3, secret), np.array([0.5, secret, np.nan]), [secret, 0.1], str(secret)):
            with pytest.raises(ValueError, match=r"^statistic") as refused:
                party_plans.site(plan, 0, wrong)
            assert "2798" not in str(refused.value) and "2.79" not in str(refused.value)
    # Bounds beyond what the noise can carry are refused with the plan, before there is a statistic.
    for scheme, zero_sum, noise in party_plans.FORMS[1:]:
        with pytest.raises(ValueError, match="statistics of"):
            rows = tuple(Member(n, 0.5, 2.5, TARGET, 100) for n in "ab")
            Plan(Statistic("mean", (), 1e14, 1e14 + 16), rows, scheme, zero_sum, noise)


@pytest.mark.parametrize("form", party_plans.FORMS, ids="-".join)
def test_discrete_noise_comes_from_the_operating_system(form, monkeypatch):
    asked = []
    monkeypatch.setattr(
        OperatingSystem,
        "bytes",
        lambda self, n: asked.append(n) or np.random.default_rng(len(asked)).bytes(n),
    )
    plan = party_plans.plan(3, *form)
    parties.exchange(plan, np.full((3, 3), 0.5))
    assert bool(asked) == (form[2] == "discrete")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_whoever_takes_the_place_of_a_silent_site_is_promised_so(number):
    target = Privacy(1.0, 1e-5)
    plan = plan_of(Statistic("mean", (), 0.0, 12.0), [27, 60, 45], target, scheme="local", dropouts=2)
    assert plan.promise(number).message == pytest.approx(gaussian_mu(target), rel=1e-6)


@pytest.mark.parametrize("sites", [4, 9])
@pytest.mark.parametrize("loud", [0, 1, -1])
def test_a_promise_counts_on_no_noise_of_whoever_may_fall_silent(sites, loud):
    """The public sum of a scheme of independent noise, of which one site draws by far the most."""
    epsilons = np.full(sites, 1.0)
    epsilons[loud] = 0.05
    rows = tuple(Member(f"s{s}", 1 / sites, 0.06, Privacy(e, 1e-5), 200) for s, e in enumerate(epsilons))
    plan = Plan(
        Statistic("mean", (), 0.0, 12.0), rows, scheme="conventional", zero_sum="broadcast", dropouts=1
    )
    mus = np.array([gaussian_mu(row.privacy) for row in rows])
    number = 2
    worst = max(
        1 / np.sqrt((1 / np.delete(mus, silent) ** 2).sum()) for silent in range(sites) if silent != number
    )
    assert plan.promise(number).public == pytest.approx(worst, rel=1e-6)


def test_version_2_carries_designs_keys_columns_and_a_series():
    """Written once, read back the same; without any of it a plan is version 1, with the identifier that it had."""
    plain = party_plans.plan(
        3, "cape-after", "secure", "discrete", shape=(2,), against="aggregator", dropouts=1
    )
    assert plain.to_dict()["version"] == 1
    keys = {name: f"{n:064x}" for n, name in enumerate(("site 0", "site 1", "site 2", "aggregator"))}
    columns = (Column("age", "years", 0.0, 1.0), Column("weight", "kg", 0.0, 1.0))
    series = SeriesTerms(12, 1, matrix=np.eye(12))
    whole = replace(plain, keys=keys, columns=columns, series=series, cap=50.0, draw=DRAWS[0])
    found = whole.to_dict()
    assert found["version"] == 2 and found["keys"]["aggregator"] == keys["aggregator"]
    again = Plan.read(whole.text().encode())
    assert again == whole and again.id == whole.id != plain.id
    assert replace(whole, keys=None, columns=None, series=None, cap=None, draw=None).id == plain.id
    for wrong, named_ in (
        ({"keys": dict(list(keys.items())[:3])}, "keys"),
        ({"keys": keys | {"site 1": keys["site 0"]}}, "keys"),
        ({"columns": columns[:1]}, "columns"),
        ({"draw": "something"}, "draw"),
        ({"cap": 0.5}, "cap"),
    ):
        with pytest.raises(ValueError, match=named_):
            replace(plain, **wrong)


@pytest.mark.parametrize(
    "scheme, noise", [("cape-best", "iid"), ("cape-after", "iid"), ("cape-after", "discrete")]
)
def test_sites_check_a_design_and_search_none(scheme, noise):
    plan = party_plans.plan(4, scheme, "broadcast", noise, against="aggregator", dropouts=1)
    design = plan.parts().design
    given = np.stack([design.seed_std, design.local_std], axis=1)
    fixed = replace(plan, designs=given)
    assert fixed.parts().design.local_std == pytest.approx(design.local_std, rel=1e-9)
    assert fixed.promise(0).aggregator == pytest.approx(plan.promise(0).aggregator, rel=1e-5)
    assert Plan.from_dict(fixed.to_dict()) == fixed
    with pytest.raises(ValueError, match="designs"):
        replace(plan, designs=given * [1.0, 0.9])
    with pytest.raises(ValueError, match="designs"):
        replace(plan, designs=given[:3])
