"""Sites, Secure sum and Audit without a browser: what they compute, refuse in words, and leave as it was."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from pictures import held

from core import Privacy, cape
from core.audit import reference_cases
from core.privacy import gaussian_std
from dashboard.components.control_panel import ControlPanel
from dashboard.pages.trust.audit import attacker
from dashboard.pages.trust.audit.model import BATCHES, MECHANISMS
from dashboard.pages.trust.audit.page import AuditPage
from dashboard.pages.trust.secure_sum.page import SecureSumPage
from dashboard.pages.trust.sites import model
from dashboard.pages.trust.sites.model import GIANT, HOSPITALS, PARANOID
from dashboard.pages.trust.sites.page import SitesPage
from dashboard.problems.sites import Row, read_rows, rows_from_csv, write_rows
from dashboard.session.app import App
from dashboard.shell import actions
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text

KINDS = (SitesPage, SecureSumPage, AuditPage)
MAIN = {
    SitesPage: "target",
    SecureSumPage: "lost",
    AuditPage: "runs",
}  # Sites has no slider above its picture.
THREE = [Row("a", 100, 1.0, 1e-5), Row("b", 200, 1.0, 1e-5), Row("c", 50, 0.5, 1e-6)]


def opened(kind, **values):
    page = kind(Controls())
    page.content()
    page.before()
    page.more()
    page.set({"runs": 2000, **values} if kind is AuditPage else values)
    page.opened()
    if kind is AuditPage:
        page.content().received({"name": "play", "number": 0})
    assert page.said.problem == ""
    return page


@pytest.mark.parametrize("kind", KINDS)
def test_the_primary_control_changes_figures_and_words(kind):
    page = opened(kind)
    figures, words = held(page), page.said.words
    page.set({MAIN[kind]: {"target": 0.9, "lost": 1, "runs": 4000}[MAIN[kind]]})
    assert page.said.words not in ("", words)
    assert held(page) != figures


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_leaves_the_numbers_of_the_table(kind, capsys):
    page = opened(kind, noise_seed=5)
    space = {}
    exec(compile(page.script(), "script", "exec"), space)
    table = page.table()
    for name, values in space["columns"].items():
        assert np.allclose(values, table[name], rtol=1e-12, atol=0, equal_nan=True), name
    assert capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_in_the_state_that_its_link_names(kind):
    page = opened(kind, noise_seed=9)
    page.set({MAIN[kind]: {"target": 1.3, "lost": 0, "runs": 3000}[MAIN[kind]]})
    query = dict(part.split("=", 1) for part in page.search().removeprefix("?").split("&"))
    other = kind(Controls())
    assert other.take(query) == []
    assert other.search() == page.search()


@pytest.mark.parametrize("kind", KINDS)
def test_presets_change_what_is_said_and_leave_no_problem(kind):
    page = opened(kind)
    said = set()
    for preset in page.presets:
        page.set({**preset.values, "runs": 2000} if kind is AuditPage else preset.values)
        said.add(page.said.words)
        assert page.said.problem == ""
    assert len(said) == len(page.presets)


# Sites.


def test_the_table_survives_the_url_and_a_csv_file():
    rows = (*THREE, Row("d: odd; name", 7, 2.0, 0.01, 0.25, colludes=True, drops=True))
    back = read_rows(write_rows(rows))
    assert back[:3] == tuple(THREE)
    assert (back[3].size, back[3].weight, back[3].colludes, back[3].drops) == (7, 0.25, True, True)
    page = opened(SitesPage, rows=write_rows(rows))
    again = rows_from_csv(actions.csv_text(page))
    assert [replace(row, weight=0.0) for row in again] == [
        replace(row, weight=0.0) for row in page.picture.rows
    ]
    assert [row.weight for row in again] == pytest.approx(page.picture.weights)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size,epsilon\n3,1", "must have the columns .*; missing: delta"),
        ("size,epsilon,delta\n-3,1,1e-5\n3,1,1e-5", "site 1: size must be a whole number .*, got -3"),
        ("size,epsilon,delta\n2.5,1,1e-5\n3,1,1e-5", "size must be a whole number"),
        ("site,size,epsilon,delta\nA,3,0,1e-5\nB,3,1,1e-5", "A: ε must be a number from 0.001 to 100, got 0"),
        ("size,epsilon,delta\n3,1,2\n3,1,1e-5", "δ must be a number from 10⁻¹² to 0.5, got 2"),
        ("size,epsilon,delta\n3,1,\n3,1,1e-5", "δ must be .* got nothing"),
        ("size,epsilon,delta,drops\n3,1,1e-5,maybe\n3,1,1e-5,", "drops must be yes or no, got maybe"),
        ("size,epsilon,delta\n3,1,1e-5", "from 2 to 50 sites, it has 1"),
        ("", "missing: size, epsilon, delta"),
    ],
)
def test_bad_tables_are_refused_in_words(text, words):
    with pytest.raises(ValueError, match=words):
        rows_from_csv(text)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"rows": write_rows([Row("a", 5, 1, 1e-5, 0, True), Row("b", 5, 1, 1e-5, 0, True)])},
            "All sites collude",
        ),
        ({"rows": write_rows([Row("a", 5, 1, 1e-5, 0, False, True)] * 2)}, "All sites drop out"),
        ({"weights": "table"}, "with own weights, weight must be above 0, got 0"),
        (
            {"weights": "table", "rows": write_rows([Row("a", 5, 1, 1e-5, 0.5), Row("b", 5, 1, 1e-5, 0.6)])},
            "Own weights must sum to 1, but they sum to 1.1",
        ),
        (
            {"stage": "before", "rows": write_rows([THREE[0], Row("b", 5, 1, 1e-5, 0, False, True)])},
            "at least 2 sites that do not drop out",
        ),
    ],
)
def test_what_is_wrong_with_the_table_is_said_and_the_last_good_picture_stays(values, words):
    page = opened(SitesPage)
    figures, picture = held(page), page.picture
    page.set(values)
    assert words in page.said.problem
    assert page.picture is picture
    assert held(page) == figures
    page.set({"rows": write_rows(THREE), "weights": "size", "stage": "after"})
    assert page.said.problem == ""


def test_a_dominating_site_is_named_and_the_nearest_target_offered():
    page = opened(SitesPage, rows=PARANOID)
    page.set({"target": 0.5})
    assert "paranoid dominates" in page.said.problem
    assert page._offer.visible
    page._offer.clicks += 1
    assert page.said.problem == ""
    assert not page._offer.visible
    assert 0.5 < page.model.target < 1
    assert page.picture.design.target == pytest.approx(page.model.target * page.picture.least)


def test_the_published_form_is_refused_where_ours_exists():
    page = opened(SitesPage, rows=GIANT)
    page.set({"form": "published"})
    assert "published form is infeasible" in page.said.problem
    page._offer.clicks += 1
    assert page.said.problem == ""
    assert page.picture.design.target > page.picture.least


def test_too_much_noise_is_answered_with_the_most_there_is():
    page = opened(SitesPage, rows=write_rows(THREE))
    page.set({"target": 10.0})
    assert "No design adds that much" in page.said.problem
    page._offer.clicks += 1
    assert page.said.problem == ""


def test_predicted_noise_is_the_measured_one():
    rows = [Row("a", 100, 1.0, 1e-5), Row("b", 200, 1.0, 1e-5, 0, False, True), *THREE[2:]]
    for stage in ("before", "after"):
        picture = opened(SitesPage, rows=write_rows(rows), stage=stage).picture
        for scheme, std in picture.std.items():
            # 2000 draws: 4 standard errors of a standard deviation, false-alarm rate 6e-5.
            assert picture.measured[scheme] == pytest.approx(std, rel=4 / np.sqrt(4000)), (stage, scheme)


def test_nobody_is_named_who_does_not_watch():
    page = opened(SitesPage)

    def pressed():
        return re.findall(r"aria-pressed='true'>.*?<span>([^<]*)</span>", page.still())

    assert page.model.against == "colluders" and pressed() == ["sees all messages"]
    assert re.search(r"aria-pressed='false' disabled>.*?<span>and colluders: none yet<", page.still())
    page.content().received({"name": "site", "number": 0})
    assert pressed() == ["all, and colluders tell"] and " disabled" not in page.still()
    page.content().received({"name": "site", "number": 0})  # It drops out: nobody colludes any more.
    assert pressed() == ["sees all messages"]


@pytest.mark.parametrize("stage", ["after", "before"])
def test_an_average_without_a_site_is_renormalised_beside_a_curator_of_all_records(stage):
    """Brute force: every draw's coefficient in Σ w_s message_s / Σ w_s over the sites that remain."""
    rows = list(read_rows(HOSPITALS))
    rows[0] = replace(rows[0], drops=True)
    page = opened(SitesPage, rows=write_rows(rows), stage=stage)
    noise = page.picture.design
    sizes = np.array([row.size for row in rows])
    d, left = (noise.weights * noise.seed_std) ** 2, np.arange(6) > 0
    zero_sum = np.eye(6) - d[:, None] / d.sum()  # w_s e_s = û_s − (d_s/D) Σ û
    leftover = (zero_sum[left].sum(axis=0) ** 2 * d).sum()
    local = ((noise.weights * noise.local_std)[left] ** 2).sum()
    needed = [gaussian_std(1 / row.size, Privacy(row.epsilon, row.delta)) for row in rows]
    curator = (sizes / sizes.sum() * needed).max() ** 2
    own = (leftover + local) / noise.weights[left].sum() ** 2 / curator
    others = ((sizes[left] / sizes[left].sum() * np.array(needed)[left]) ** 2).sum() / curator
    if stage == "after":
        assert (own, others) == pytest.approx((5.40, 7.28), abs=0.005)
    assert f"{own:.2f} times the noise variance of one trusted curator of all" in page._fine.text
    assert f"<b>{number_text(others / own, digits=2)} times less noise variance</b>" in page.still()
    for value in (own, others):
        assert f"<span class='number'>{value:.2f}</span>" in page.still()
    assert bars(page)[6].sum() / bars(page)[7].sum() == pytest.approx(own / others, abs=0.001)
    told = re.findall(r"</th><td>([^<]*)</td>", page._fine.text)
    assert told == ["—", *(f"{w:.3g}" for w in sizes[left] / sizes[left].sum())]


def test_exposures_are_those_of_the_design():
    rows = [Row("a", 100, 1.0, 1e-5, 0, True), *THREE[1:], Row("d", 80, 2.0, 1e-4)]
    picture = opened(SitesPage, rows=write_rows(rows), against="colluders").picture
    promised = np.array([row.delta for row in rows])
    honest = np.arange(4) != 0
    assert np.isnan(picture.exposed.colluders[0])
    assert (picture.exposed.colluders[honest] <= promised[honest] * (1 + 1e-6)).all()
    assert (picture.exposed.aggregator[honest] <= picture.exposed.colluders[honest]).all()
    assert (picture.exposed.public[honest] <= picture.exposed.aggregator[honest]).all()
    one = opened(SitesPage, rows=write_rows(rows), against="message").picture
    assert one.exposed.message[honest] == pytest.approx(promised[honest])
    assert sum(one.shares[1]) == pytest.approx(1)
    assert one.gain == pytest.approx((one.std["conventional"] / one.std["cape"]) ** 2)


def test_a_design_that_misses_the_demand_of_its_view_says_so():
    page = opened(SitesPage, rows=write_rows(THREE), against="aggregator")
    assert "does not meet it" not in page.said.guarantee.sentence
    page.set({"target": 0.8})
    assert page.said.problem == ""
    assert (page.picture.exposed.aggregator > 1.001 * np.array([row.delta for row in THREE])).any()
    assert "This design does not meet it for every site" in page.said.guarantee.sentence


def test_names_of_sites_never_become_markup():
    evil = "<img src=x onerror=1>"
    page = opened(SitesPage, rows=write_rows([Row(evil, 10, 0.1, 1e-6), Row(evil, 9000, 1, 1e-5)]))
    for text in (page.said.words, page._fine.text, page.still()):
        assert "<img" not in text
    assert "&lt;img" in page.still()
    assert len(set(page.figures()[0].x_range.factors)) == 2


def bars(page):
    """Lengths of the bars of sites, then of both averages: shape (S + 2, 2), zero-sum and local, in per cent."""
    widths = re.findall(r"class='(?:zero|local)' style='width:([\d.]+)%'", page.still())
    return np.array(widths, dtype=float).reshape(-1, 2)


def test_bars_have_one_scale_on_which_the_average_is_the_sum_of_what_stays():
    page = opened(SitesPage, rows=write_rows(THREE))
    picture, drawn = page.picture, bars(page)
    unit, noise = picture.std["pooled"], picture.design
    one = float(re.search(r"--one:([\d.]+)%", page.still())[1])
    local = (noise.weights * noise.local_std / unit) ** 2
    zero_sum = (noise.weights * noise.zero_sum_std / unit) ** 2
    assert drawn[:3] == pytest.approx(one * np.stack([zero_sum, local], axis=1), abs=0.03)
    assert drawn[3] == pytest.approx([0, one * (picture.std["cape"] / unit) ** 2], abs=0.03)
    assert drawn[4] == pytest.approx([0, one * (picture.std["conventional"] / unit) ** 2], abs=0.03)
    assert drawn.sum(axis=1).max() == pytest.approx(100, abs=0.01)
    assert ">noise that cancels<" in page.still()
    # Noise that was to cancel that of a site which drops out stays, too.
    page.set({"rows": write_rows([*THREE[:2], replace(THREE[2], drops=True)])})
    zero_sum, local = bars(page)[3]
    assert zero_sum > 0 and local == pytest.approx(bars(page)[:2, 1].sum(), abs=0.03)
    assert ">noise that cancels only if all send<" in page.still()


def test_bars_of_many_small_sites_are_drawn_longer_and_say_so():
    page = opened(SitesPage, rows=model.TWENTY)
    drawn = bars(page)[:20].sum(axis=1)
    assert 80 < drawn.max() <= 100 and "class='sites many enlarged'" in page.still()
    # 1.905 of 20, ten times as long.
    assert drawn[2] == pytest.approx(95.2, abs=0.1) and "10 times the scale below" in page.still()
    assert "10.5 times less noise variance" in page.still()
    assert "the scale below" not in opened(SitesPage, rows=GIANT).still()


def test_a_row_names_the_privacy_target_that_makes_its_bar_long():
    page = opened(SitesPage)
    shown = unescape(page.still()).replace("\xa0", " ")
    assert "Noise variance each adds, <em>weighted by its records<" in shown
    # Equal ε with another δ is another target: University's differs from Harbour's.
    assert "ε = 1, δ = 10⁻⁶" in shown and "ε = 1, δ = 10⁻⁵" in shown and ">trusted curator</a>" in shown
    said = unescape(page.said.words).replace("\xa0", " ")
    # The curator's noise is that of the strictest target.
    assert "keeps every target: Children's needs the most (ε = 0.5, δ = 10⁻⁶)" in unescape(
        page._fine.text
    ).replace("\xa0", " ")
    # Why two bars are equally long, which no longer holds where a site drops out.
    assert "as much as Children's alone adds<" in shown and "each alone tells equally much" in said
    seen = page.picture.exposed
    assert seen.message[3] == pytest.approx(seen.public[3], rel=1e-6) and seen.public[0] < seen.message[0]
    assert "1.27 times less noise: 1.27² ≈ 1.6." in said and "local" not in page.picture.std
    assert "carry more noise than independent ones: whoever sees all" in said
    noise = page.picture.design
    assert (noise.weights * noise.std).max() == pytest.approx(page.picture.std["cape"])
    page.set({"rows": write_rows([replace(row, epsilon=1.0) for row in THREE]), "target": 1.1})
    assert "keeps every target: c needs the most" in page._fine.text
    assert "alone adds" not in page.still()
    page.set({"against": "message"})
    assert "carry" not in page.said.words


def test_a_site_takes_clicks_and_one_that_colludes_adds_noise():
    page = opened(SitesPage, rows=write_rows(THREE), against="aggregator")
    assert f"{number_text(page.picture.gain, digits=2)} times less" in page.still()
    noise = page.picture.std["cape"]
    for colludes, drops, role in (
        (True, False, "colludes"),
        (False, True, "silent"),
        (False, False, "honest"),
    ):
        page.content().received({"name": "site", "number": 1})
        assert (page.picture.rows[1].colludes, page.picture.rows[1].drops) == (colludes, drops)
        assert page.still().count(f"class='site {role}'") == (3 if role == "honest" else 1)
        assert page.model.against == "colluders"
        assert (page.picture.std["cape"] > noise * 1.001) == (role != "honest")
    for number in (3, 1000):
        page.content().received({"name": "site", "number": number})
        page.content().received({"name": "against", "number": number})
    assert page.said.problem == "" and len(page.picture.rows) == 3
    assert page.said.problem == "" and len(page.picture.rows) == 3


def test_the_first_button_lets_a_site_drop_out_and_the_bar_keeps_what_was_there_if_all_sent():
    page = opened(SitesPage)
    shown = page.still()
    assert (
        "data-press='drop' data-number='0'>▶ Let University drop out<" in shown
        and "if all had sent" not in shown
    )
    page.content().received({"name": "drop", "number": 0})
    shown = page.still()
    assert page.picture.rows[0].drops and not page.picture.rows[0].colludes
    one = float(re.search(r"--one:([\d.]+)%", shown)[1])
    assert float(re.search(r"<s style='width:([\d.]+)%'", shown)[1]) == pytest.approx(1.23 * one, abs=0.3)
    assert "1.23 if all had sent<" in shown and ">5.40<" in shown and "Let University send again" in shown
    page.content().received({"name": "drop", "number": 1000})
    assert page.said.problem == "" and page.picture.left.sum() == 5


def test_the_headline_of_sites_names_who_watches_and_a_target_that_is_missed():
    page = opened(SitesPage, rows=write_rows(THREE))
    assert "even against the aggregator, who sees all messages." in page.still()
    assert "against the aggregator, who sees all messages." in page.said.guarantee.sentence
    page.content().received({"name": "against", "number": 0})
    assert "only if nobody sees more than the result or one message." in page.still()
    assert page.picture.against == "message"
    for against, seen in (("message", "public"), ("aggregator", "aggregator")):
        page.set({"target": 0.9, "against": against})
        assert (getattr(page.picture.exposed, seen) > 1.001 * np.array([row.delta for row in THREE])).any()
        assert "too little for some site's privacy target" in page.still()
    colluding = [replace(THREE[0], colludes=True), *THREE[1:]]
    page.set({"target": 1.0, "rows": write_rows(colluding), "against": "colluders"})
    assert "even against the aggregator and 1 colluding site." in page.still()


def test_a_small_gain_of_sites_is_told_in_per_cent_and_never_called_none():
    page = opened(SitesPage)
    (cautious,) = (preset for preset in page.presets if preset.name == "One very cautious site")
    page.set(cautious.values)
    assert page.picture.gain == pytest.approx(1.031, abs=5e-4)
    assert "<b>3 % less noise variance</b> (squared error) than with independent noise" in page.still()


def test_a_target_without_a_design_pales_the_picture_and_takes_its_sentences_away():
    page = opened(SitesPage, rows=write_rows(THREE))
    words, guarantee = page.said.words, page.said.guarantee
    page.set({"target": 9.0})
    assert "No design adds that much noise" in page.said.problem
    assert "pale picture" in page.said.words and page.said.guarantee is None
    assert page.content().styles["opacity"] == "0.3"
    page.set({"target": 1.0})
    assert page.content().styles["opacity"] == "1"
    assert (page.said.words, page.said.guarantee) == (words, guarantee)


def test_the_table_edits_the_model_and_follows_it():
    page = opened(SitesPage, rows=write_rows(THREE))
    table = page.table_view
    cells = table.cells.value.copy()
    cells.loc[1, "size"] = 999
    table.cells.value = cells
    table._edited()
    assert page.picture.rows[1].size == 999
    cells = table.cells.value.copy()
    cells.loc[0, "epsilon"] = -1
    table.cells.value = cells
    table._edited()
    assert "a: ε must be a number" in page.said.problem
    assert page.picture.rows[0].epsilon == 1.0
    page.model.rows = GIANT
    assert len(table.cells.value) == 8
    table._change(table._with_one_more)
    assert len(page.picture.rows) == 9
    table.take_file(b"size,epsilon,delta\n10,1,1e-5\n20,1,1e-5\n")
    assert [row.size for row in page.picture.rows] == [10, 20]
    table.take_file(b"\xff\xfe\x00")
    assert "not a text file" in page.said.problem
    assert [row.size for row in page.picture.rows] == [10, 20]


def test_the_model_uses_the_design_of_the_core():
    picture = opened(SitesPage, rows=write_rows(THREE), weights="equal").picture
    assert picture.design.target == pytest.approx(cape.design(picture.design.std).target)
    assert model.DRAWS == 2000  # The legend says so.


# Secure sum.


def test_no_more_sites_drop_out_or_must_answer_than_there_are():
    page = opened(SecureSumPage)
    page.set({"sites": 5, "threshold": 12, "lost": 0})
    assert page.said.problem == "" and (page.picture.plan.threshold, page.picture.plan.lost) == (5, 0)
    assert page.said.most == {"threshold": 5, "lost": 4}
    panel = ControlPanel([(page.model, "lost"), (page.model, "threshold")])
    panel.limit(page.said.most)
    assert [one.state["end"] for one in panel.controls.values()] == [4, 5]
    page.set({"threshold": 2, "lost": 20})
    assert page.said.problem == "" and page.model.plan().lost == 4
    assert "one adds it, the other subtracts it. A round mark is a site's own mask." in page.still()


def test_too_few_sites_stop_the_protocol_in_words():
    page = opened(SecureSumPage)
    page.set({"lost": 4})
    shown = unescape(page.still())
    assert "only 6 sites sent their masked value, 7 are needed" in shown and "no sum" in shown
    assert shown.count("site silent") == 4 and shown.count("class='bytes'") == 6
    assert page.said.problem == ""  # A box above the picture would move it.
    assert not (page.said.pale or page.said.late)  # It is the answer to the present settings.
    page.content().received({"name": "play", "number": 0})
    assert "7 are needed" in page.still()
    page.set({"lost": 3})
    assert "7 are needed" not in page.still()
    assert "3 sites drop out before sending an input and are not in the sum" in page.said.words


def test_showing_fewer_rounds_runs_nothing_anew():
    page = opened(SecureSumPage)
    run = page.picture.run
    page.set({"step": 1})
    assert page.picture.run is run
    assert "unmask" not in page._parts._messages.text


@pytest.mark.parametrize("seed", range(4))
def test_the_shown_values_add_to_the_shown_sum_and_the_headline_names_who_may_not_collude(seed):
    page = opened(SecureSumPage, noise_seed=seed)
    total = f"{float(page.picture.run.total[0]):.2f}".replace("-", "−")
    # Before Play nobody says the sum, and who will fall silent still looks awake.
    assert "site silent" not in page.still()
    assert "What does the aggregator learn?" in page.still() and f">{total}<" not in page.still()
    page.content().received({"name": "play", "number": 0})
    shown = page.still().replace("−", "-")
    values = [float(text) for text in re.findall(r"<b>(-?[\d.]+)</b></span>", shown)]
    assert shown.count("site silent") == 2
    assert len(values) == 11 and f"{sum(values[:8]):.2f}" == f"{values[-1]:.2f}"
    assert (
        "class='answer'>" in shown
        and f"the sum of 8 values, {values[-1]:.2f}</b>, and, together with" in shown
    )
    assert "together with fewer than 7 colluding sites, no more than the sum of the others" in shown
    page.set({"lost": 3})  # Six colluders would know six of the seven inputs.
    assert "with fewer than 6 colluding sites" in page.still()
    assert "any 7 shares restore it" in page.said.words


def test_the_sum_is_that_of_the_sites_whose_input_arrived():
    page = opened(SecureSumPage, lost=2, round="unmask")
    assert len(page.picture.run.included) == 10
    assert page.picture.run.total == pytest.approx(page.picture.plan.values.sum(axis=0), abs=1e-9)
    assert np.isnan(opened(SecureSumPage, lost=2).picture.received[-2:]).all()


def test_every_pair_of_masks_is_drawn_twice_with_both_signs_and_meets_at_one_place():
    page = opened(SecureSumPage, lost=2)
    rows = re.split("<div class='row", page.still())[1:11]
    masks = [
        re.findall(r"<i class='(pair|rest)' data-sign='(.?)' style='--c:(\d+);--d:([-.\d]+)", row)
        for row in rows
    ]
    places = {
        (site, int(partner)): (kind, sign, int(partner) + float(shift))
        for site, found in enumerate(masks)
        for kind, sign, partner, shift in found
    }
    assert {site for site, _ in places} == set(page.picture.run.included)
    for (site, partner), (kind, sign, place) in places.items():
        if kind == "pair":
            assert places[partner, site][1:] == ("−" if sign == "+" else "+", place) and sign
        else:  # Its own mask, or that of a site whose input never came.
            assert partner == site or (partner >= 8 and sign == "+")
    assert len(places) == 8 * 10
    key = re.search("data-key='([^']+)'", page.still())[1]
    page.content().received({"name": "play", "number": 0})
    assert re.search("data-key='([^']+)'", page.still())[1] != key


def test_the_picture_shows_what_each_site_sent_and_the_sum():
    page = opened(SecureSumPage, lost=2)
    page.content().received({"name": "play", "number": 0})
    shown, run = page.still(), page.picture.run
    sent = re.findall(r"class='bytes' title='([0-9a-f]{16})'", shown)
    assert [int(one, 16) / 2.0**64 for one in sent] == pytest.approx(page.picture.received[:8])
    squares = re.findall(r"class='bytes' title='[^']*'>(.*?)</span>", shown)
    assert [
        "".join(re.findall(">([0-9a-f]{2})</i>", one)) for one in squares
    ] == sent  # No digit is left out.
    assert shown.count("class='none'") == 2 and shown.count(number_text(float(run.total[0]))) == 2
    assert "10⁻¹¹" not in page.said.words
    page.set({"sites": 14})  # So many masks have one column.
    assert page.still().count("class='rest whole'") == 12 and "class='pair'" not in page.still()


# Audit.


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_of_the_menu_gets_its_verdict(name):
    page = opened(AuditPage)
    page.set({"mechanism": name, "colluding": 3, "runs": 4000 if name in ("symmetric", "moment") else 60_000})
    assert page.said.problem == ""
    assert page.picture.finished
    assert page.picture.verdict.violated == (not page.picture.plan.case.sound)
    assert ("is broken" in page.said.words) == page.picture.verdict.violated
    assert ("Program caught" in page.still()) == page.picture.verdict.violated
    assert "reference_cases." in page.script()


def test_batches_join_to_the_audit_of_all_runs():
    page = opened(AuditPage)
    verdict = page.picture.verdict
    assert verdict.trials == page.picture.plan.batch * BATCHES
    assert len(page.picture.bounds) == BATCHES
    assert page.picture.bounds[-1] == verdict.epsilon


def test_the_attacker_is_drawn_from_the_runs():
    page = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=4)
    verdict, shown = page.picture.verdict, page.still()
    cut = attacker.threshold(verdict)
    assert (verdict.first_scores > cut).sum() == verdict.false_alarms
    assert (verdict.second_scores <= cut).sum() == verdict.missed
    heights = {
        side: re.findall(rf"<rect class='{side}[^>]* height='([\d.]+)%'", shown) for side in ("in", "out")
    }
    assert all(max(map(float, found)) <= 48 for found in heights.values())
    right = 1 - (verdict.false_alarms + verdict.missed) / (2 * verdict.trials)
    assert "For Gaussian noise these counts show" in page.said.words
    # On the way no bound is stated as one that holds.
    assert shown.count("so far ε") + shown.count("so far nothing") == BATCHES - 1
    # Between the look from which the bar stays beyond the mark and the last one the big line says so, and no more.
    bounds, at = page.picture.bounds, re.search(r"--at:([\d.]+)", shown)
    assert at and (bounds[round(float(at[1]) * BATCHES) - 1 :] > 1).all()
    assert "so far the attacker has shown more" in shown
    assert "<span class='sure'>with 99.9\u00a0% confidence, for Gaussian noise</span>" in shown
    assert page.said.guarantee.sentence.startswith("If the noise is Gaussian, the bound on ε")
    assert f"right in <b>{100 * right:.1f}\u00a0%</b>; sound Gaussian noise allows <b>55.3" in shown
    assert f"{number_text(verdict.epsilon)}</b></span>" in shown
    widths = re.findall(r"%\{width:([\d.]+)%\}", shown)
    assert np.array(widths, float) == pytest.approx(100 * page.picture.bounds / 2, abs=0.006)
    assert page.still() == opened(AuditPage, mechanism="short", runs=20_000, noise_seed=4).still()


def test_a_button_of_the_picture_runs_the_audit_again_and_what_is_not_gaussian_is_not_called_so():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    before = page.picture.verdict
    page.content().received({"name": "runs", "number": 0})
    assert not np.array_equal(page.picture.verdict.first_scores, before.first_scores)
    page.set({"mechanism": "known_seed", "runs": 4000})
    assert "Program caught" in page.still() and "Gaussian" not in page.still() + page.said.words
    assert page.said.guarantee.sentence.startswith("The bound on ε is correct with 99.9 % confidence")


def test_a_broken_program_that_is_not_caught_is_not_called_safe():
    page = opened(AuditPage, mechanism="short", runs=2000, epsilon=0.2)
    shown = page.still()
    assert "Not caught yet." in shown and "class='audit good" not in shown
    assert "<b>nothing yet</b>" in shown and "These counts show nothing yet" in page.said.words
    assert "class='audit good" in opened(AuditPage, mechanism="message", runs=2000).still()


def test_a_user_who_guesses_is_told_the_truth_and_how_often_it_was_right():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    attacker_alone, right = page.still(), 0
    assert "Was your record <em>in" in attacker_alone and "Your turn" not in attacker_alone
    for count in range(1, 21):
        page.content().received({"name": "guess", "number": count % 2})
        shown = page.still()
        was_right, was_in = "<b>Right</b>" in shown, "it was in." in shown
        right += was_right
        assert was_right == (was_in == bool(count % 2))
        assert f"You: {right} of {count}." in shown and f"class='past {'in' if was_in else 'out'}'" in shown
    assert 0 < right < 20  # Of 20 guesses that do not look at the release; false-alarm rate 2e-6.
    page.content().received({"name": "runs", "number": 0})
    assert "Was your record <em>in" in page.still()


def test_before_play_a_user_may_guess_and_no_verdict_is_told():
    page = AuditPage(Controls())
    page.content()
    page.more()
    page.set({"runs": 2000})
    page.opened()
    first = page.still()
    page.content().received({"name": "guess", "number": 1})
    told = page.still() + page.said.words
    assert "of 1. " in told and "Your turn" in first and "The program states" in told
    assert not any(part in told for part in ("caught", "Nothing found", "ε\u00a0≥", "class='bars"))
    assert page.said.words == ""
    # The program is named, and neither its name nor the menu says what the audit will find.
    assert "Here is one release of a program that adds only two thirds of the needed noise. Was" in told
    names = [entry.text for entry in MECHANISMS.values()] + [preset.name for preset in page.presets]
    assert not any(word in name.lower() for name in names for word in ("broken", "caught", "sound"))
    for _ in range(9):
        page.content().received({"name": "guess", "number": 1})
    assert page.still().count("class='past ") == 10
    page.content().received({"name": "play", "number": 0})
    assert page.still().count("class='past ") == 1
    assert "aught" in page.still() and "of 10. " in page.still() and page.said.words


def test_colluders_are_asked_for():
    page = opened(AuditPage)
    picture = page.picture
    page.set({"mechanism": "cape_colluders"})
    assert "choose at least 1" in page.said.problem
    assert page.picture is picture
    page.set({"colluding": 2})
    assert page.said.problem == ""


def test_a_menu_entry_writes_the_call_that_it_makes():
    shared = Controls(epsilon=0.7, sites=6, colluding=2)
    for entry in MECHANISMS.values():
        promise, options = entry.arguments(shared)
        built = eval(entry.call(shared), {"reference_cases": reference_cases, "Privacy": Privacy})
        assert (built.title, built.promise) == (
            entry.builder(promise, **options).title,
            entry.promise or Privacy(0.7, 1e-5),
        )


# The app.


def test_secure_sum_is_a_tab_of_sites():
    app = App({"page": "secure_sum"})
    assert app.page.name == "secure_sum"
    listed = [kind.name for kind in app.navigation.groups["Trust"]]
    assert "sites" in listed and "secure_sum" not in listed
    assert app.navigation.marked == "sites"


def test_after_a_failure_the_inputs_that_were_sent_stand_alone():
    page = SecureSumPage(Controls(sites=6))
    page.model.param.update(threshold=5, lost=0, entries=10)
    page.opened()
    bars = re.compile(r"beam value'><i style='([^']*)'")
    first = bars.findall(page.still())
    assert page.more().visible
    page.model.lost = 3
    stopped = page.still()
    assert "stopped" in stopped and "masks cannot be taken off" in stopped
    # Three masked inputs of one run, which the same keys give whatever the threshold is.
    page.model.threshold = 3
    titles = re.compile(r"class='bytes' title='([0-9a-f]{16})'")
    assert titles.findall(stopped) == titles.findall(page.still()) and len(titles.findall(stopped)) == 3
    page.model.threshold = 5
    assert not page.more().visible
    assert bars.findall(stopped) == first
    page.model.lost = 1
    assert page.more().visible and "stopped" not in page.still()
