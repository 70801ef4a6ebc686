"""Noise seeds of the operating system: never twice the same, in no link, no file and no program."""

from __future__ import annotations

import pytest
from sheets import ProtocolPage
from small_pages import PLAN, SMALL, narrow

from core.check import LARGEST_SEED
from core.decomposition import problem as recovery
from core.network import training
from core.pca import Problem
from core.sweep import Job, jobs, search
from core.sweep.targets import Target
from dashboard import explore
from dashboard.__main__ import arguments, open_secrets
from dashboard.components.control_panel import ControlPanel
from dashboard.pages import LISTED
from dashboard.session.app import App
from dashboard.shell import actions
from dashboard.shell.lecture import settings_of
from dashboard.state import seeds
from dashboard.state.controls import Controls
from data.catalogue import tables

SMALLEST = SMALL | {"plan": PLAN, "power_noise": {"repeats": 1}}


@pytest.fixture
def secret(monkeypatch):
    monkeypatch.setenv(seeds.VARIABLE, "1")


def test_sessions_differ_and_new_noise_does_not_follow_from_the_old(secret):
    one, other = Controls().noise_seed, Controls().noise_seed
    assert one != other
    assert min(one, other).bit_length() > 64  # Of 128 random bits: false once in 2⁶³.
    assert seeds.next_seed(one) != seeds.next_seed(one)


def test_without_the_option_every_session_begins_alike_and_repeats():
    assert Controls().noise_seed == Controls().noise_seed == Controls.param.noise_seed.default
    assert seeds.next_seed(7) == seeds.next_seed(7) < 2**31


def test_a_secret_seed_is_told_nowhere(secret):
    app = App({"page": "protocol", "noise_seed": "5"})
    page, seed = app.page, str(app.controls.noise_seed)
    assert "operating system" in app.notice and seed != "5"
    actions.new_noise(page)
    seed = str(app.controls.noise_seed)
    program = page.program()
    for text in (app.browser.query, actions.csv_text(page), program, app.settings_text()):
        assert seed not in text
    assert f"# noise_seed = {seeds.NOT_KEPT}" in actions.csv_text(page)


def test_a_program_without_the_seed_runs_and_draws_its_own_noise(secret, capsys):
    page = ProtocolPage(Controls())
    page.opened()
    page.model.draws = 200
    program = page.program()
    columns = []
    for _ in range(2):
        names = {}
        exec(compile(program, "copied", "exec"), names)
        columns.append(names["columns"])
    assert columns[0]["predicted_std"] == columns[1]["predicted_std"] == list(page.table().predicted_std)
    private = [i for i, scheme in enumerate(columns[0]["scheme"]) if scheme != "nonprivate"]
    assert all(columns[0]["first_error"][i] != columns[1]["first_error"][i] for i in private)


def test_presets_and_slides_bring_their_noise_only_where_seeds_are_public(secret, monkeypatch):
    page = ProtocolPage(Controls())
    known = [{"noise_seed": 5}, *(settings_of(page, step) for step in page.steps)]
    known += [preset.values for preset in page.presets]
    assert sum("noise_seed" in values for values in known) >= 4
    seed = page.controls.noise_seed
    for values in known:
        page.set(values)
        assert page.controls.noise_seed == seed
    monkeypatch.setenv(seeds.VARIABLE, "0")
    page.set({"noise_seed": 5})
    assert page.controls.noise_seed == 5


def test_the_option_is_taken_from_the_command_line(monkeypatch):
    monkeypatch.setenv(seeds.VARIABLE, "0")
    assert "--os-entropy" not in arguments(["--no-show", "--os-entropy"])
    open_secrets(["--no-show"])
    assert not seeds.secret()
    open_secrets(["--os-entropy"])
    assert seeds.secret()


@pytest.mark.parametrize("name", [entry.name for entry in LISTED])
def test_every_page_opens_with_secret_seeds_and_takes_seeds_of_128_bits(name, secret, monkeypatch):
    kind = next(entry for entry in LISTED if entry.name == name).kind
    narrow(name, monkeypatch)
    page = kind(Controls(data_seed=LARGEST_SEED))
    page.set(SMALLEST.get(name, {}))
    page.opened()
    assert page.state.problem == ""
    assert page.runs is None or page.runs.state == "finished", page.runs.message
    assert str(page.controls.noise_seed) not in page.state.words
    page.closed()


def load(settings):
    return tables.load({"data": "low_rank", "published": False} | dict(settings))


def test_one_rule_for_seeds_wherever_one_is_taken():
    """From 0 to 2¹²⁸ − 1, and an error that names the parameter for all others."""
    pca = Problem(load)
    cell = {"epsilon": 1.0, "delta": 1e-5, "sites": 2, "samples": 5, "k": 1}
    row = tuple((x, tuple(sorted(({"epsilon": x} | cell).items()))) for x in (0.5, 1.0))
    doors = {
        "seed": [
            lambda seed: Job(pca, (), "cape", 0, seed),
            lambda seed: jobs(pca, [cell], schemes=["cape"], repeats=1, seed=seed),
            lambda seed: search.Search(pca, row, Target("energy", 0.1), "cape", seed),
            lambda seed: recovery.best_share(recovery.Problem(load), {}, seed=seed),
        ],
        "start_seed": [lambda seed: training.Problem(load, start_seed=seed)],
        "data_seed": [
            lambda seed: load(cell | {"data_seed": seed}),
            lambda seed: explore("pca", data_seed=seed),
        ],
        "noise_seed": [lambda seed: explore("gain", noise_seed=seed)],
    }
    for name, takers in doors.items():
        for take in takers:
            for bad in (-1, LARGEST_SEED + 1, 0.5):
                with pytest.raises(ValueError, match=name):
                    take(bad)
            for good in (0, 2**63, LARGEST_SEED):
                try:
                    take(good)
                except ValueError as error:
                    assert name not in str(error)


def test_a_seed_of_any_length_is_typed_and_shown_with_all_its_digits():
    controls = Controls()
    panel = ControlPanel([(controls, "data_seed")])
    for text in (str(LARGEST_SEED), "2147483648", "7"):
        panel.received({"name": "data_seed", "value": text})
        assert controls.data_seed == int(text) and panel.controls["data_seed"].state["value"] == text
    for wrong in ("", "-1", "1.5", "1e3", "٣", str(LARGEST_SEED + 1), "9" * 10_000, 5, None):
        with pytest.raises(ValueError, match="Data seed"):
            panel.received({"name": "data_seed", "value": wrong})
        assert controls.data_seed == 7 and panel.controls["data_seed"].state["value"] == "7"
