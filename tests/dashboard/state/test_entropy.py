"""Noise seeds of the operating system: never twice the same, in no link, no file and no program."""

from __future__ import annotations

import pytest

from dashboard.__main__ import arguments, open_secrets
from dashboard.pages.learn.averaging.page import AveragingPage
from dashboard.session.app import App
from dashboard.shell import actions
from dashboard.shell.lecture import settings_of
from dashboard.state import seeds
from dashboard.state.controls import Controls


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
    assert seeds.next_seed(7) == seeds.next_seed(7) <= seeds.SEED_LIMIT


def test_a_secret_seed_is_told_nowhere(secret):
    app = App({"page": "averaging", "noise_seed": "5"})
    page, seed = app.page, str(app.controls.noise_seed)
    assert "operating system" in app.notice and seed != "5"
    actions.new_noise(page)
    seed = str(app.controls.noise_seed)
    program = seeds.without_seed(page.script(), page.controls.noise_seed)
    for text in (app.browser.query, actions.csv_text(page), program, app.settings_text()):
        assert seed not in text
    assert f"# noise_seed = {seeds.NOT_KEPT}" in actions.csv_text(page)


def test_a_program_without_the_seed_runs_and_draws_its_own_noise(secret, capsys):
    page = AveragingPage(Controls())
    page.opened()
    page.model.draws = 200
    program = seeds.without_seed(page.script(), page.controls.noise_seed)
    columns = []
    for _ in range(2):
        names = {}
        exec(compile(program, "copied", "exec"), names)
        columns.append(names["columns"])
    assert columns[0]["predicted_std"] == columns[1]["predicted_std"] == list(page.table().predicted_std)
    private = [i for i, scheme in enumerate(columns[0]["scheme"]) if scheme != "nonprivate"]
    assert all(columns[0]["first_error"][i] != columns[1]["first_error"][i] for i in private)


def test_presets_and_slides_bring_their_noise_only_where_seeds_are_public(secret, monkeypatch):
    page = AveragingPage(Controls())
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
