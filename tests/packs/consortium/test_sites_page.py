"""The page of Sites without a browser: its table, its bars, what it says, and what it refuses in words."""

import csv
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from pictures import held
from sheets import SitesPage
from trust_pages import opened

from core import Privacy, cape
from core.privacy import gaussian_std
from core.schemes.after_design import design as design_after
from core.schemes.free_design import free_design
from core.schemes.terms import Terms
from dashboard.packs.consortium.sites import model
from dashboard.packs.consortium.sites.model import GIANT, HOSPITALS, PARANOID
from dashboard.problems.sites import Row, parse_rows, read_rows, rows_from_csv, write_rows
from dashboard.shell import actions
from dashboard.state.controls import Controls

ASKED = write_rows(model.after_ask(read_rows(HOSPITALS)))
THREE = [Row("a", 100, 1.0, 1e-5), Row("b", 200, 1.0, 1e-5), Row("c", 50, 0.5, 1e-6)]


def markup(page):
    """The headline and the bars."""
    return page.shown.headline + page.shown.sections["sites"]


def numbers(page):
    """The numbers of every site, and the sentences below them."""
    return page.shown.further[0][1]


def offered(page):
    """Whether the headline offers the nearest setting that works."""
    return "data-press='nearest'" in page.shown.headline


def test_the_table_survives_the_url_and_a_csv_file():
    rows = (*THREE, Row("d: odd; name", 7, 2.0, 0.01, 0.25, colludes=True, drops=True))
    back = read_rows(write_rows(rows))
    assert back[:3] == tuple(THREE)
    assert (back[3].size, back[3].weight, back[3].colludes, back[3].drops) == (7, 0.25, True, True)
    page = opened(SitesPage, rows=write_rows(rows))
    again = rows_from_csv(actions.csv_text(page))
    assert [replace(row, weight=0.0) for row in again] == [replace(row, weight=0.0) for row in page.plan.rows]
    assert [row.weight for row in again] == pytest.approx(page.plan.weights)


@pytest.mark.parametrize(
    "names",
    [
        ("=1+1", "@SUM(A1)", "-x"),
        ("'=1+1", "it's", "'quoted'"),
        ("North\nSouth", "a\r\n# b", "tab\there"),
        ("x,=cmd", '"quoted"', "C\u2028D"),
    ],
)
def test_a_saved_file_opens_again_with_the_same_names_and_a_setting_is_one_line(names):
    rows = [Row(name, 100 + i, 1.0, 1e-5) for i, name in enumerate(names)]
    page = opened(SitesPage, rows=write_rows(rows))
    text = actions.csv_text(page)
    assert [row.site for row in rows_from_csv(text)] == [row.site for row in page.plan.rows]
    head = [line for line in text.splitlines() if line.startswith("#")]
    assert len(head) == 1 + len(page.settings_text()) and len(text.splitlines()) == len(head) + 4
    cells = [cell for line in csv.reader(text.splitlines()) for cell in line]
    assert not any(cell.lstrip().startswith(("=", "@")) for cell in cells)


@pytest.mark.parametrize(
    "text",
    [
        "# saved\nsite,size,epsilon,delta\na,100,1,1e-5\n#7,200,0.5,1e-5\nc,50,1,1e-5\n",
        "site;size;epsilon;delta\na;100;1;1e-5\n#7;200;0,5;0,00001\n\nc;50;1;1e-5",
    ],
)
def test_a_site_may_be_called_by_a_number_and_semicolons_are_read(text):
    assert [(r.site, r.size, r.epsilon, r.delta) for r in rows_from_csv(text)] == [
        ("a", 100, 1.0, 1e-5),
        ("#7", 200, 0.5, 1e-5),
        ("c", 50, 1.0, 1e-5),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("site,size,epsilon,delta\na,100,1,1e-5\nb,1,200,1,1e-5", "site 2"),
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
    figures, picture = held(page), page.plan
    page.set(values)
    assert words in page.state.problem
    assert page.plan is picture
    assert held(page) == figures
    page.set({"rows": write_rows(THREE), "weights": "size", "stage": "after"})
    assert page.state.problem == ""


def test_a_dominating_site_is_named_and_the_nearest_target_offered():
    page = opened(SitesPage, rows=PARANOID)
    page.set({"target": 0.5})
    assert "paranoid dominates" in page.shown.headline and offered(page)
    # What is drawn, said and saved is the design that is offered.
    assert page.plan.design.target == pytest.approx(page.plan.target * page.plan.least)
    assert 0.5 < page.plan.target < 1 and f"{page.plan.target:g}" in page.shown.headline
    page.press("nearest", 0)
    assert not offered(page)
    assert page.model.target == page.plan.target < 1
    assert page.plan.design.target == pytest.approx(page.model.target * page.plan.least)


def test_the_published_form_is_refused_where_ours_exists():
    page = opened(SitesPage, rows=GIANT)
    page.set({"form": "published"})
    assert offered(page)
    page.press("nearest", 0)
    assert not offered(page)
    assert page.plan.design.target > page.plan.least


def test_too_much_noise_is_answered_with_the_most_there_is():
    page = opened(SitesPage, rows=write_rows(THREE))
    page.set({"target": 10.0})
    assert offered(page)
    page.press("nearest", 0)
    assert not offered(page)


def test_predicted_noise_is_the_measured_one():
    rows = [Row("a", 100, 1.0, 1e-5), Row("b", 200, 1.0, 1e-5, 0, False, True), *THREE[2:]]
    for stage in ("before", "after"):
        picture = opened(SitesPage, rows=write_rows(rows), stage=stage).plan
        for scheme, std in picture.std.items():
            # 2000 draws: 4 standard errors of a standard deviation, false-alarm rate 6e-5.
            assert picture.measured[scheme] == pytest.approx(std, rel=4 / np.sqrt(4000)), (stage, scheme)


def test_nobody_is_named_who_does_not_watch():
    page = opened(SitesPage, rows=ASKED)

    def pressed():
        return re.findall(r"aria-pressed='true'>.*?<span>([^<]*)</span>", markup(page))

    nobody = pressed()
    assert page.model.against == "colluders" and "colluders" not in nobody[0]
    assert "aria-pressed='false' disabled>" in markup(page)
    page.press("site", 0)
    assert "colluders" in pressed()[0] and " disabled" not in markup(page)
    page.press("site", 0)  # It drops out: nobody colludes any more.
    assert pressed() == nobody


@pytest.mark.parametrize("stage", ["after", "before"])
def test_an_average_without_a_site_is_renormalised_beside_a_curator_of_all_records(stage):
    """Brute force: every draw's coefficient in Σ w_s message_s / Σ w_s over the sites that remain."""
    rows = list(read_rows(HOSPITALS))
    rows[0] = replace(rows[0], drops=True)
    page = opened(SitesPage, rows=write_rows(rows), stage=stage)
    noise = page.plan.design
    sizes = np.array([row.size for row in rows])
    d, left = (noise.weights * noise.seed_std) ** 2, np.arange(6) > 0
    zero_sum = np.eye(6) - d[:, None] / d.sum()  # w_s e_s = û_s − (d_s/D) Σ û
    leftover = (zero_sum[left].sum(axis=0) ** 2 * d).sum()
    local = ((noise.weights * noise.local_std)[left] ** 2).sum()
    needed = [gaussian_std(1 / row.size, Privacy(row.epsilon, row.delta)) for row in rows]
    curator = (sizes / sizes.sum() * needed).max() ** 2
    own = (leftover + local) / noise.weights[left].sum() ** 2 / curator
    others = ((sizes[left] / sizes[left].sum() * np.array(needed)[left]) ** 2).sum() / curator
    assert f"{own:.2f} times" in numbers(page)
    # Whoever divides the numbers of the bars finds the sentence's.
    assert f"<b>{_less(round(others, 2) / round(own, 2))} less" in markup(page)
    # One curator of the records that are left.
    rest = (sizes[left] / sizes[left].sum() * np.array(needed)[left]).max() ** 2 / curator
    for value in (own, others, rest):
        assert re.search(rf"%'>{value:.2f}<(/span|small)>", markup(page))
    assert "11\u202f250 of 23\u202f250 records" in page.state.words
    assert f"has {rest:.2f} times" in page.state.words
    assert bars(page)[6].sum() / bars(page)[7].sum() == pytest.approx(own / others, abs=0.001)
    told = re.findall(r"</th><td>([^<]*)</td>", numbers(page))
    assert told == ["—", *(f"{w:.3g}" for w in sizes[left] / sizes[left].sum())]


def _less(ratio):
    """By how many per cent."""
    return f"{100 * (1 - 1 / ratio):.0f} %"


def test_exposures_are_those_of_the_design():
    rows = [Row("a", 100, 1.0, 1e-5, 0, True), *THREE[1:], Row("d", 80, 2.0, 1e-4)]
    picture = opened(SitesPage, rows=write_rows(rows), against="colluders").plan
    promised = np.array([row.delta for row in rows])
    honest = np.arange(4) != 0
    assert np.isnan(picture.exposed.colluders[0])
    assert (picture.exposed.colluders[honest] <= promised[honest] * (1 + 1e-6)).all()
    assert (picture.exposed.aggregator[honest] <= picture.exposed.colluders[honest]).all()
    assert (picture.exposed.public[honest] <= picture.exposed.aggregator[honest]).all()
    one = opened(SitesPage, rows=write_rows(rows), against="message").plan
    assert one.exposed.message[honest] == pytest.approx(promised[honest])
    assert sum(one.shares[1]) == pytest.approx(1)
    assert one.gain == pytest.approx((one.std["conventional"] / one.std["cape"]) ** 2)


def test_a_design_that_misses_the_demand_of_its_view_says_so():
    page = opened(SitesPage, rows=write_rows(THREE), against="aggregator")
    assert "does not" not in page.state.guarantee.sentence
    page.set({"target": 0.8})
    assert page.state.problem == ""
    assert (page.plan.exposed.aggregator > 1.001 * np.array([row.delta for row in THREE])).any()


def test_names_of_sites_never_become_markup():
    evil = "<img src=x onerror=1>"
    page = opened(SitesPage, rows=write_rows([Row(evil, 10, 0.1, 1e-6), Row(evil, 9000, 1, 1e-5)]))
    for text in (page.state.words, numbers(page), markup(page)):
        assert "<img" not in text
    assert "&lt;img" in markup(page)
    assert len(set(page.shown.charts["deltas"].x.names)) == 2


def bars(page):
    """Lengths of the bars of sites, and last of the averages above them: shape (S + 3, 2), zero-sum and local, in %."""
    widths = re.findall(r"class='(?:zero|local)' style='width:([\d.]+)%'", markup(page))
    return np.roll(np.array(widths, dtype=float).reshape(-1, 2), -3, axis=0)


def test_bars_have_one_scale_on_which_the_average_is_the_sum_of_what_stays():
    page = opened(SitesPage, rows=write_rows(THREE))
    picture, drawn = page.plan, bars(page)
    # The unit is a curator's noise before the strict site asked for its ε.
    others = [replace(row, epsilon=1.0) for row in THREE]
    unit, noise = opened(SitesPage, rows=write_rows(others)).plan.std["pooled"], picture.design
    one = float(re.search(r"--one:([\d.]+)%", markup(page))[1])
    local = (noise.weights * noise.local_std / unit) ** 2
    zero_sum = (noise.weights * noise.zero_sum_std / unit) ** 2
    assert drawn[:3] == pytest.approx(one * np.stack([zero_sum, local], axis=1), abs=0.03)
    assert drawn[3] == pytest.approx([0, one * (picture.std["cape"] / unit) ** 2], abs=0.03)
    assert drawn[4] == pytest.approx([0, one * (picture.std["conventional"] / unit) ** 2], abs=0.03)
    assert drawn[5] == pytest.approx([0, one * (picture.std["pooled"] / unit) ** 2], abs=0.03)
    assert drawn.sum(axis=1).max() < 100 and "in the average<" in markup(page)
    # Noise that was to cancel that of a site which drops out stays, too.
    page.set({"rows": write_rows([*THREE[:2], replace(THREE[2], drops=True)])})
    zero_sum, local = bars(page)[3]
    assert zero_sum > 0 and local == pytest.approx(bars(page)[:2, 1].sum(), abs=0.03)
    assert "if all send<" in markup(page)


def test_bars_of_many_small_sites_are_drawn_longer_and_say_so():
    page = opened(SitesPage, rows=model.TWENTY)
    drawn = bars(page)[:20].sum(axis=1)
    assert 80 < drawn.max() <= 100 and "class='sites many enlarged'" in markup(page)
    # 1.905 of 32, sixteen times as long.
    assert drawn[2] == pytest.approx(95.2, abs=0.1)
    assert "scale above" not in markup(opened(SitesPage, rows=GIANT))


def told(text):
    return unescape(text).replace("\xa0", " ")


def test_a_row_names_the_privacy_target_that_makes_its_bar_long():
    page = opened(SitesPage, rows=ASKED)
    shown, fine = told(markup(page)), told(numbers(page))
    # The schemes have the names of all pages.
    assert ">CAPE<small>noise partly cancels<" in shown and ">conventional<small>all noise stays<" in shown
    assert ">pooled</a><small>one trusted curator<" in shown
    # One δ of all is said once, below.
    assert "ε = 0.5</small>" in shown and "δ" not in shown.partition("</style>")[2]
    seen = page.plan.exposed
    assert seen.message[4] == pytest.approx(seen.public[4], rel=1e-6) and seen.public[0] < seen.message[0]
    assert "local" not in page.plan.std
    # A curator's bar is shorter, and why so is said.
    ratio = (page.plan.std["cape"] / page.plan.curator) ** 2
    assert f"has {ratio:.2f} times" in fine
    page.set({"rows": write_rows([replace(row, epsilon=1.0) for row in THREE]), "target": 1.1})
    # Equal ε with another δ is another target: the row with the unusual one says so.
    shown = told(markup(page))
    assert "records · </span>δ = 10⁻⁶</small>" in shown and "δ = 10⁻⁵" not in shown
    assert "All at" not in page.state.words
    assert "curator shows" not in numbers(page)
    page.set({"against": "message"})
    assert "whoever sees" not in numbers(page)
    page.set({"target": 1.0})


def test_one_press_shows_who_pays():
    page = opened(SitesPage)
    before, shown = page.plan, told(markup(page))
    assert "<b>68 % less noise variance</b>" in shown and "Everyone pays" not in shown
    assert ">was " not in shown
    page.press("ask", 4)
    after, shown = page.plan, told(markup(page))
    assert [row.epsilon for row in after.rows] == [1, 1, 1, 1, 0.5, 2]
    times = (after.std["cape"] / before.std["cape"]) ** 2
    assert times == pytest.approx(2.74, abs=0.005)
    # The others' bars shrink, and the words beside the button say why.
    assert (np.add(*after.parts) < np.add(*before.parts)).sum() == 5
    # The average that the sentence speaks of stands above the sites, and these words between both.
    places = [shown.index(part) for part in (">4.59<small>was 1.68<", "they send less", "class='rows'")]
    assert places == sorted(places) and ">1.08<small>was" not in shown[: places[2]]
    ends = [float(end) / 12.5 for end in re.findall(r"--end:([\d.]+)%", shown)]
    assert ends == pytest.approx([4.59, 7.84, 3.55] + [1.68] * 4 + [4.59, 0.32], abs=0.006)
    # The scale and its unit stay, and outlines show what was there before.
    one = float(re.search(r"--one:([\d.]+)%", shown)[1])
    assert one == pytest.approx(100 / 8, abs=0.01)
    outlines = [float(width) / one for width in re.findall(r"<s style='width:([\d.]+)%'", shown)]
    assert outlines == pytest.approx([1.68, 5.29, 1] + [1.68] * 5 + [0.32], abs=0.006)
    assert bars(page)[6:].sum(axis=1) / one == pytest.approx([4.59, 7.84, 3.55], abs=0.006)
    assert re.findall(r">([\d.]+)<small>\w+ ([\d.]+)<", shown) == [
        ("4.59", "1.68"),
        ("7.84", "5.29"),
        ("3.55", "1.00"),
        *[("1.08", "1.68")] * 4,
        ("4.59", "1.68"),
        ("0.29", "0.32"),
    ]
    # How many times as much, beside the bar of CAPE: the headline is about it.
    assert re.findall(r"class='times'>([\d.]+) times<", shown) == ["2.7"]
    page.press("ask", 4)
    assert page.model.rows == HOSPITALS and page.plan.std == before.std


@pytest.mark.parametrize("against", ["message", "aggregator"])
@pytest.mark.parametrize("rows", [ASKED, PARANOID, write_rows(THREE)])
def test_where_all_send_the_average_of_cape_is_as_noisy_as_its_noisiest_message(rows, against):
    page = opened(SitesPage, rows=rows, against=against)
    noise = page.plan.design
    assert (noise.weights * noise.std).max() == pytest.approx(page.plan.std["cape"], rel=1e-9)
    number = int(np.argmin([row.epsilon for row in page.plan.rows]))
    site, stays = page.plan.rows[number].site, page.plan.parts[1].sum()
    shown = unescape(markup(page))
    # The yellow parts add up to that message although half of it is blue, and both tell equally much of a record.
    assert f"add up to {stays:.2f}" in shown
    assert f"and {site}'s message" in shown
    assert np.add(*page.plan.parts)[number] == pytest.approx(stays, rel=1e-9)
    seen = page.plan.exposed
    assert seen.public[number] == pytest.approx(seen.message[number], rel=1e-6)


def test_a_strict_site_that_weighs_little_costs_nobody_anything():
    rows = [Row("large", 9000, 0.9, 1e-5), *(Row(f"small {s}", 90, 1.0, 1e-5) for s in range(5))]
    page = opened(SitesPage, rows=write_rows(rows), weights="equal")
    assert "Large has 95 %" in markup(page)
    assert "gives CAPE's average" in markup(page) and "gets" not in page.state.words


def test_a_site_takes_clicks_and_one_that_colludes_adds_noise():
    page = opened(SitesPage, rows=write_rows(THREE), against="aggregator")
    assert f"has {_less(page.plan.gain)} less" in page.state.words
    noise = page.plan.std["cape"]
    for colludes, drops, role in (
        (True, False, "colludes"),
        (False, True, "silent"),
        (False, False, "honest"),
    ):
        page.press("site", 1)
        assert (page.plan.rows[1].colludes, page.plan.rows[1].drops) == (colludes, drops)
        assert markup(page).count(f"class='site {role}'") == (3 if role == "honest" else 1)
        assert page.model.against == "colluders"
        assert (page.plan.std["cape"] > noise * 1.001) == (role != "honest")
    for number in (3, 1000):
        page.press("site", number)
        page.press("against", number)
    assert page.state.problem == "" and len(page.plan.rows) == 3


def test_a_site_that_drops_out_leaves_an_outline_and_the_noise_that_was_to_cancel():
    page = opened(SitesPage)
    page.press("site", 1)
    page.press("site", 1)
    shown = markup(page)
    # The scale stays, so that every bar is seen to grow; that of the silent site leaves an outline.
    one = float(re.search(r"--one:([\d.]+)%", shown)[1])
    assert one == pytest.approx(100 / 8, abs=0.01)
    outlines = [float(width) / one for width in re.findall(r"<s style='width:([\d.]+)%'", shown)]
    assert outlines == pytest.approx([1.68, 5.29, 1, 1.68], abs=0.006)
    assert bars(page)[1].sum() == 0 and bars(page)[6].min() > 0
    assert ">—<small>was 1.68<" in shown
    # The sentence at the end of Play says who is missing and what stays, above the bars.
    above = shown.partition("class='rows'")[0]
    assert f"has <b>{_less(page.plan.gain)} less noise variance</b>" in above
    grown = bars(page)[[0, 2, 3, 4, 5]].sum(axis=1) / bars(opened(SitesPage))[[0, 2, 3, 4, 5]].sum(axis=1)
    assert grown == pytest.approx((23_250 / 17_850) ** 2, rel=0.02)
    # The first button is that of the play; who watches is asked after the picture.
    assert shown.index("send again") < shown.index("class='rows'") < shown.index("watches?<")


def test_the_headline_of_sites_names_who_watches_and_a_target_that_is_missed():
    page = opened(SitesPage, rows=write_rows(THREE))
    page.press("against", 0)
    assert page.plan.against == "message"
    for against, seen in (("message", "public"), ("aggregator", "aggregator")):
        page.set({"target": 0.9, "against": against})
        assert (getattr(page.plan.exposed, seen) > 1.001 * np.array([row.delta for row in THREE])).any()
    colluding = [replace(THREE[0], colludes=True), *THREE[1:]]
    page.set({"target": 1.0, "rows": write_rows(colluding), "against": "colluders"})


def test_a_small_gain_of_sites_is_told_in_per_cent_and_never_called_none():
    page = opened(SitesPage)
    (cautious,) = (preset for preset in page.presets if preset.name == "One very cautious site")
    page.set(cautious.values)
    assert page.plan.gain == pytest.approx(1.031, abs=5e-4)


def test_where_weights_are_not_by_records_a_dropout_is_counted_in_sites():
    page = opened(SitesPage, rows=write_rows(THREE), weights="equal")
    for _ in range(2):
        page.press("site", 1)
    assert "more: 2 of 3" in markup(page)


def test_the_table_of_the_sites_unfolds_beside_what_is_saved():
    page = opened(SitesPage)
    form = page.board.live["table"]
    line, table = form.view.objects
    buttons, save = line.objects
    assert save.visible and not table.visible and not table.objects
    for shown in (True, False):
        buttons.buttons[0].click()
        assert table.visible == shown and list(table.objects) == [form.table.layout]
    page.set({"target": 2.0})  # No plan states this design.
    assert not save.visible


def test_the_table_edits_the_model_and_follows_it():
    page = opened(SitesPage, rows=write_rows(THREE))
    table = page.board.live["table"].table
    cells = table.cells.value.copy()
    cells.loc[1, "size"] = 999
    table.cells.value = cells
    table._edited()
    assert page.plan.rows[1].size == 999
    cells = table.cells.value.copy()
    cells.loc[0, "epsilon"] = -1
    table.cells.value = cells
    table._edited()
    assert "a number" in page.state.problem
    assert page.plan.rows[0].epsilon == 1.0
    page.model.rows = GIANT
    assert len(table.cells.value) == 8
    table._change(table._with_one_more)
    assert len(page.plan.rows) == 9
    table.take_file(b"size,epsilon,delta\n10,1,1e-5\n20,1,1e-5\n")
    assert [row.size for row in page.plan.rows] == [10, 20]
    table.take_file(b"\xff\xfe\x00")
    assert "text file" in page.state.problem
    assert [row.size for row in page.plan.rows] == [10, 20]


def test_the_model_uses_the_design_of_the_core():
    picture = opened(SitesPage, rows=write_rows(THREE), weights="equal").plan
    assert picture.design.target == pytest.approx(cape.design(picture.design.std).target)
    assert model.DRAWS == 2000  # The legend says so.


def test_letters_of_a_name_that_cannot_be_seen_are_left_out_of_the_table():
    about = {"size": 10, "epsilon": 1.0, "delta": 1e-5}
    rows = parse_rows([about | {"site": name} for name in ("A\u200b\u00ad", "\u2060", "B\u00a0e\u0301")])
    assert [row.site for row in rows] == ["A", "site 2", "B é"]


def test_too_little_noise_for_a_target_leads_the_answer_and_protects_against_nobody():
    page = SitesPage(Controls())
    page.set({"target": 0.05})
    page.opened()
    exposed, rows = page.plan.exposed, page.plan.rows
    assert all(delta > row.delta for delta, row in zip(exposed.aggregator, rows, strict=True))
    assert page.shown.headline.startswith("<b>Too little") and "against" not in page.shown.headline
    assert ">0.00<" not in page.shown.sections["sites"]
    page.set({"target": 1.0})
    assert "Too little" not in page.shown.headline


def test_a_delta_too_small_for_the_axis_is_a_triangle_at_its_end():
    page = SitesPage(Controls())
    page.opened()
    chart, exposed = page.shown.charts["deltas"], page.plan.exposed
    for points in chart.points:
        at_end = points.marker == "inverted_triangle"
        assert all((y == min(q for p in chart.points for q in p.y)) == at_end for y in points.y)
    drawn = sum(len(points.x) for points in chart.points if points.marker == "inverted_triangle")
    low = min(min(points.y) for points in chart.points)
    assert (
        drawn
        == sum(
            delta < low for name in ("message", "public", "aggregator") for delta in getattr(exposed, name)
        )
        > 0
    )


@pytest.mark.parametrize(
    "names", [("A", "A", "B"), ("Brothers of Mercy, Hamburg", "Brothers of Mercy, Hanover", "C")]
)
def test_sites_whose_names_begin_alike_still_have_a_plan(names):
    """Names have 24 letters at most, and no plan has two sites of one name."""
    records = [{"site": name, "size": 900, "epsilon": 1.0, "delta": 1e-5} for name in names]
    page = opened(SitesPage, rows=write_rows(parse_rows(records)))
    found = [row.site for row in page.plan.rows]
    assert len(set(found)) == 3 and page.plan.plannable
    assert [site.name for site in page.model.consortium().sites] == found
    assert [row.site for row in read_rows(write_rows(page.plan.rows))] == found


def apart_bars(page):
    """The numbers beside the bars of who stands apart: [(blue, yellow, yellow of the sum after), …]."""
    rows = page.shown.sections["apart"].split("<div class='row'>")[1:]
    return np.array([[float(n) for n in re.findall(r"<b class='\w+'>([\d.]+)</b>", row)] for row in rows])


def test_a_dropout_shows_who_stands_apart_where_it_is_planned():
    """Sizes 1, 1, 2, 5, 20, one of which drops out: d = 12.1, 12.1, 10.6, 7.2, 0.01 and γ = 0.23, …, 0.99."""
    sizes = [100, 100, 200, 500, 2000]
    page = opened(SitesPage, rows=write_rows([Row(f"s{n}", n, 1.0, 1e-5) for n in sizes]))
    assert "apart" not in page.shown.sections
    page.press("site", 4)
    page.press("site", 4)
    found = page.plan
    assert "<b>s2000 stands apart</b>" in page.shown.sections["apart"]
    # In units of v, which is the curator's variance at equal targets: to the two digits that stand there.
    asked = free_design(np.ones(5), np.array(sizes) / sum(sizes), dropouts=1)
    assert apart_bars(page)[:, 0] == pytest.approx(asked.seed, rel=0.05)
    assert apart_bars(page)[:, 1] == pytest.approx(asked.local, rel=0.05)
    std, weights = found.curator * np.ones(5) / found.weights, found.weights
    terms = Terms("colluders", dropouts=1)
    late = design_after(std, weights, terms=terms)
    assert apart_bars(page)[:, 2] == pytest.approx((weights * late.local_std / found.curator) ** 2, rel=0.05)
    said = page.shown.sections["apart"]
    # Whoever drops out: the giant leaves the most.
    assert "at most <b>11.21 times</b>" in said
    assert f"at most <b>{(late.average_std([4]) / found.curator) ** 2:.2f} times</b>" in said


@pytest.mark.parametrize("settings", [{"against": "message"}, {"stage": "before"}, {"target": 2.0}])
def test_nobody_stands_apart_where_no_dropout_is_planned_for(settings):
    rows = [replace(row, drops=row.site == "b") for row in THREE]
    page = opened(SitesPage, rows=write_rows(rows), **settings)
    assert "apart" not in page.shown.sections


def test_so_many_dropouts_that_two_sums_could_be_opened_have_one_order():
    rows = [replace(row, drops=row.site != "a") for row in THREE]
    page = opened(SitesPage, rows=write_rows(rows))
    assert apart_bars(page).shape == (3, 2) and "may not drop out" in page.shown.sections["apart"]
