"""Plans that the pages write are carried out by the programs of `examples/parties`."""

from __future__ import annotations

import os
import re
import runpy
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sheets import SitesPage

from core import Privacy, parties, pca
from core.parties import Plan
from core.summaries import Summary
from core.sweep import search
from dashboard.packs.consortium.plan import party_plan
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.problems.sites import Row, write_rows
from dashboard.state.controls import Controls

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import records  # noqa: E402


def test_sites_writes_the_plan_of_its_design():
    page = SitesPage(Controls())
    page.content()
    rows = [Row("a", 100, 1.0, 1e-5), Row("<b>", 200, 0.5, 1e-6, 0.0, True), Row("c", 150, 1.0, 1e-5)]
    page.set({"rows": write_rows(rows), "against": "colluders"})
    page.opened()
    plan = Plan.read(page.model.consortium().text().encode())
    assert [site.name for site in plan.sites] == ["a", "<b>", "c"] and plan.colluding == 1
    assert float(plan.stated().std) == pytest.approx(page.plan.std["cape"], rel=1e-9)
    assert plan.parts().contributions.local_std == pytest.approx(page.plan.design.local_std, rel=1e-9)
    assert page.model.plannable
    page.set({"target": 2.0})
    assert not page.model.plannable


@pytest.fixture
def page():
    page = PlanPage(Controls(sites=3, k=2, delta=1e-3, samples=50, schemes=["cape"]))
    page.content()
    yield page
    page.own_table.end()


def test_plan_writes_the_plan_of_its_answer(page):
    page.set({"problem": "averaging", "level": 0.02})
    page.opened()
    plan = Plan.read(page.plan_file().encode())
    assert (plan.statistic.name, plan.scheme, plan.form, len(plan.sites)) == ("mean", "cape", "secure", 3)
    # Its error is the level that was asked for, with 95 %.
    assert 1.959964 * float(plan.stated().std) == pytest.approx(0.02, rel=1e-2)


@pytest.mark.parametrize(
    "centre, name, shape",
    [("public", "second moment", (64, 64)), ("mean", "second moment and mean", (4160,))],
)
@pytest.mark.parametrize("scheme", ["cape", "secure"])
def test_plan_writes_plans_of_components(page, centre, name, shape, scheme):
    page.set({"problem": "pca", "data": "digits", "centre": centre})
    answer = search.Answer(scheme, "found", 2.0, 2.0, 2.0)
    plan = party_plan.plan(page.compute(), scheme, answer, [50, 60, 70], ["a\u200b", "\u2060", "c"])
    plan = Plan.read(plan.text().encode())
    assert (plan.statistic.name, plan.statistic.shape, plan.scheme) == (name, shape, scheme)
    assert [site.name for site in plan.sites] == ["a", "site 2", "c"]
    assert plan.sites[0].privacy.epsilon == 2.0 and plan.sites[0].weight == pytest.approx(50 / 180)
    assert party_plan.available(page.compute())
    page.set({"problem": "topics"})
    assert not party_plan.available(page.compute())


def test_components_of_the_statistic_are_those_of_the_library():
    rng = np.random.default_rng(0)
    data = [rng.normal(size=(40, 3)) * [1.0, 0.5, 0.2] + 0.3 for _ in range(3)]
    inside = [x / np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True)) for x in data]
    options = {"samples": [40] * 3, "privacy": None, "scheme": "nonprivate", "zero_sum": "broadcast"}
    joint = parties.plan_of(
        parties.Statistic("second moment and mean", (12,), norm=1.0, share=0.2), **options
    )
    alone = parties.plan_of(parties.Statistic("second moment", (3, 3), norm=1.0), **options)
    for plan, expected in (
        (alone, pca.fit(inside, 2, scheme="nonprivate", privacy=None, rng=rng)),
        (joint, pca.fit_about_mean(inside, 2, scheme="nonprivate", privacy=None, rng=rng, share=0.2)),
    ):
        released = parties.exchange(plan, [plan.statistic.of(x) for x in data])
        found = records.components(plan, released.value, 2)
        assert np.abs(found @ expected.components.T).diagonal() == pytest.approx(1, abs=1e-9)
    with pytest.raises(ValueError, match=r"records must.*40.*1.*3"):
        parties.Site.of(alone, 1, data[0][:3], consent=["nonprivate"])


def test_a_file_of_records_is_read_or_refused_without_quoting_it(tmp_path):
    path, table = tmp_path / "r.csv", [[7.5, -2.0], [8.0, 1e-3]]
    for text in (
        "a,b\n7.5,-2\n8,1e-3\n",
        "\ufeffa;b\r\n7,5;-2\r\n\r\n8;0,001",
        '"a"\t"b"\n7,5\t-2\n8\t1e-3\n',
    ):
        path.write_text(text, encoding="utf-8")
        assert records.read(path).tolist() == table
    for text in (
        "7.5,-2\n8,3\n",
        "a,b\n7.5,-2\n8,77x7\n",
        "a,b\n7.5,-2,77\n",
        "a\n7,5\n",
        "a\n",
        "a\n1\nnan\n",
        "a\n1\n٣\n",
        "a\n1\n0x10\n",
        "a\n1_0\n",
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="records must") as refused:
            records.read(path)
        assert "77" not in str(refused.value) and "7.5" not in str(refused.value)


@pytest.mark.slow
def test_the_programs_release_an_average_together(tmp_path):
    target = Privacy(1.0, 1e-5)
    plan = parties.plan_of(parties.Statistic("mean", (), 0.0, 10.0), [400, 500], target)
    (tmp_path / "plan.json").write_text(plan.text())
    rng = np.random.default_rng(0)
    data = [rng.uniform(0, 12, n).round(2) for n in (400, 500)]
    for s, column in enumerate(data):
        np.savetxt(tmp_path / f"{s}.csv", column, delimiter=",", header="hours", comments="")
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = str(held.getsockname()[1])
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    programs = [["aggregator.py", "plan.json", port]]
    programs += [["site.py", "plan.json", str(s), f"{s}.csv", port] for s in range(2)]
    running = [
        subprocess.Popen(
            [sys.executable, str(ROOT / "examples/parties" / name), *rest],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, *rest in programs
    ]
    said, told = zip(*(program.communicate(timeout=60) for program in running), strict=True)
    truth = np.clip(np.concatenate(data), 0, 10).mean()
    released = float(said[1].split(":")[-1])
    assert said[1] == said[2] and said[1].strip() in said[0]
    assert abs(released - truth) < 6 * float(plan.stated().std)  # False alarm 2e-9.
    assert (tmp_path / f"site-0-{plan.id[:8]}.state").exists()
    # Before it sends anything, a site says what it agrees to, rounded up.
    mu = float(re.search(r"one message: mu ([0-9.]+)", told[1])[1])
    assert plan.stated().mu_message <= mu < 1.001 * plan.stated().mu_message


def test_a_program_that_cannot_go_on_says_why_in_a_sentence(tmp_path, monkeypatch):
    target, mean = Privacy(1.0, 1e-5), parties.Statistic("mean", (), 0.0, 10.0)
    plan = parties.plan_of(mean, [3, 4], target, scheme="pooled")
    (tmp_path / "plan.json").write_text(plan.text())
    (tmp_path / "bad.json").write_text(
        plan.text().replace('"epsilon": 1.0', '"epsilon": 1.0, "epsilon": 9.0')
    )
    (tmp_path / "r.csv").write_text("hours\n1\n2\n3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for command, word in (
        (["site.py", "plan.json", "0", "r.csv"], "pooled"),
        (["site.py", "bad.json", "0", "r.csv"], "epsilon"),
        (["site.py", "plan.json", "1", "r.csv", "--consent", "pooled"], "records"),
        (["site.py", "plan.json", "0", "none.csv"], "none.csv"),
        (["aggregator.py", "bad.json"], "epsilon"),
    ):
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(ROOT / "examples/parties" / command[0]), run_name="__main__")
        # A text as the code: Python writes it to stderr and ends with 1.
        assert word in ended.value.code and "\n" not in ended.value.code


def test_every_summary_is_printed_in_its_own_unit():
    parts = (Summary("mean", 18.0, 110.0), Summary("counts", cells=2), Summary("mean", 50.0, 250.0))
    plan = parties.plan_of(parties.Statistic("summaries", (4,), parts=parts), [30, 40], Privacy(1.0, 1e-5))
    told = records.told(plan, np.array([0.25, 0.125, 0.875, 0.5]), 0.0125).splitlines()
    numbers = [re.findall(r"[0-9]+\.[0-9]+", line) for line in told]
    assert numbers == [["41.0", "1.15"], ["0.125", "0.875", "0.0125"], ["150.0", "2.5"]]
    for line, kind in zip(told, ("mean", "share", "mean"), strict=True):
        assert kind in line
    plain = parties.plan_of(parties.Statistic("mean", (), 0.0, 10.0), [30, 40], Privacy(1.0, 1e-5))
    assert "mean" in (said := records.told(plain, np.array(7.25))) and said.endswith(" 7.25")


@pytest.mark.parametrize("name", ["mass of {protein}", "{0}", "{one.cells}", "100 %s {"])
def test_a_free_name_of_a_plan_is_printed_as_it_is(name):
    plan = parties.plan_of(parties.Statistic(name, (), 0.0, 10.0), [30, 40], Privacy(1.0, 1e-5), change=1.0)
    assert records.told(plan, np.array(7.25)) == f"{name}: 7.25"


def test_a_finished_run_is_no_new_result_and_no_other_records_go_on_with_it(tmp_path, monkeypatch, capsys):
    options = {"privacy": None, "scheme": "nonprivate", "zero_sum": "broadcast"}
    plan = parties.plan_of(parties.Statistic("mean", (), 0.0, 10.0), samples=[3, 3], **options)
    (tmp_path / "plan.json").write_text(plan.text())
    (tmp_path / "r.csv").write_text("hours\n1\n2\n6\n")
    (tmp_path / "other.csv").write_text("hours\n1\n2\n3\n")
    site = parties.Site.of(plan, 0, [[1], [2], [6]], consent=["nonprivate"])
    kept = tmp_path / f"site-0-{plan.id[:8]}.state"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run(file):
        monkeypatch.setattr(sys, "argv", ["site.py", "plan.json", "0", file, "1"])
        runpy.run_path(str(ROOT / "examples/parties/site.py"), run_name="__main__")

    def refused(file):
        with pytest.raises(SystemExit) as ended:
            run(file)
        return ended.value.code

    waiting = list(site.join())
    kept.write_bytes(site.state())
    assert "records" in refused("other.csv") and "none.csv" in refused("none.csv")
    exchanged(plan, site, waiting)
    kept.write_bytes(site.state())
    run("r.csv")
    said = capsys.readouterr()
    assert said.out == "" and str(float(site.result)) in said.err
    assert "records" in refused("other.csv") and capsys.readouterr().out == ""


def exchanged(plan, site, waiting):
    """Another site and an aggregator bring the run to its end."""
    other = parties.Site.of(plan, 1, [[4], [5], [6]], consent=["nonprivate"])
    named = {0: site, 1: other, parties.AGGREGATOR: parties.Aggregator(plan)}
    waiting += other.join()
    while waiting:
        data = waiting.pop(0)
        waiting += named[parties.receiver(data)].receive(data)


def test_a_plan_of_a_sum_that_half_of_the_sites_may_leave_asks_for_more(page):
    page.controls.take({"adversary": "aggregator", "sites": 6, "dropouts": 3})
    page.set({"problem": "averaging", "level": 0.02, "schemes": ["secure"]})
    page.opened()
    plan = Plan.read(page.plan_file().encode())
    assert (plan.scheme, plan.dropouts, plan.answers(6)) == ("secure", 2, 4)  # As many as a sum allows.
