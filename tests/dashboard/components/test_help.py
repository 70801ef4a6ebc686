"""Help beside controls, the glossary, and equations beside the code that computes them."""

from __future__ import annotations

import html
import re

import param
import pytest

from dashboard.components import source_code
from dashboard.components.control_panel import ControlPanel
from dashboard.components.formulas import formula, markup
from dashboard.components.help import explained, reach
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.glossary import BY_KEY, CONTROLS, TERMS
from dashboard.state.html_text import rich

CODED = [kind for kind in PAGES if kind.equation]
WANTED = [
    "epsilon",
    "delta",
    "mu",
    "sensitivity",
    "message",
    "aggregator",
    "colluders",
    "cape",
    "zero-sum",
    "gain",
    "excess",
    "delta-conv",
    "captured-energy",
    "whitening",
    "single-topic",
    "mixture",
    "advantage",
    "composition",
    "neighbours",
]


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text))


@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.name)
def test_every_control_explains_itself(kind):
    for names, owner in ((kind.shared, Controls), (kind.model_type.own(), kind.model_type)):
        for name in set(names) - set(kind.hidden):
            parameter = owner.param[name]
            assert len(plain(explained(parameter))) > 20, name
            assert parameter.label in html.unescape(explained(parameter))


def test_help_says_the_range_in_numbers_and_escapes():
    assert "from 0.001 to 10." in reach(Controls.param.epsilon)
    assert "from 2 to 50." in reach(Controls.param.sites)
    assert reach(Controls.param.noise_seed) == "" == reach(Controls.param.schemes)

    class Foreign(param.Parameterized):
        x = param.Number(0, label="'<b>", doc="<img src=x>")

    text = explained(Foreign.param.x)
    assert "<img" not in text and "<b>" not in text and "'<" not in text


def test_every_equation_stands_beside_code_that_exists():
    for kind in CODED:
        assert kind.code, kind.name
        for name in kind.code:
            assert name.startswith("core.")
            assert source_code.source(name).lstrip().startswith(("def ", "class ", "@")), name


@pytest.mark.parametrize(
    "name", ["core.privacy.gdp_delta", "core.schemes.noise_design.NoiseDesign.leakage", "core.pca.fit"]
)
def test_shown_source_is_the_source(name):
    text = source_code.source(name)
    shown = source_code.as_html((name,))
    assert plain(source_code.highlighted(text)) == text
    assert "<span class='k'>def</span>" in shown and f"<code>{name}</code>" in shown


def test_source_that_holds_markup_is_escaped():
    shown = source_code.highlighted('x = "<script>"  # <b>\n')
    assert "<script>" not in shown and "<b>" not in shown


@pytest.mark.parametrize("name", ["core.nothing", "nothing.at.all", "core", "core.pca.fit.nothing"])
def test_a_name_of_nothing_is_refused(name):
    with pytest.raises(ValueError, match="names nothing"):
        source_code.find(name)


def test_terms_are_complete_and_lead_to_what_exists():
    assert set(WANTED) <= set(BY_KEY) and len(BY_KEY) == len(TERMS)
    assert set(CONTROLS.values()) <= set(BY_KEY)
    for term in TERMS:
        assert 1 <= len(re.findall(r"\.(\s|$)", term.text)) <= 3 and len(term.text) < 330, term.key
        assert set(term.see) <= set(BY_KEY) - {term.key}
        assert term.formula.count("{") == term.formula.count("}")
        assert bool(term.formula) == bool(term.where), term.key
        # Capital letters of sites, collusion and data are explained where they stand.
        for letter in set(re.findall(r"(?<![\\A-Za-z{])[SDNτ](?![A-Za-z])", term.formula)):
            assert letter in term.where, (term.key, letter)
        if term.code:
            source_code.find(term.code)


def test_markdown_leaves_tex_alone():
    found = markup(r"**a** \, $$x\,y\{z\}<w_s$$ τ_s, n_s² of `core.cape_like`")
    assert found.count("<math") == 1 and "$" not in found and "<strong>a</strong>" in found
    assert "τ<sub>s</sub>" in found and "n<sub>s</sub>²" in found and "<code>core.cape_like</code>" in found
    assert "<mi>x</mi>" in found and "&#x0003C;" in found


def test_every_formula_of_the_program_can_be_set():
    for page in PAGES:
        assert page.equation.count("$$") == 2 * markup(page.equation).count("<math"), page.name
    assert all(formula(term.formula).count("<math") == 1 for term in TERMS if term.formula)


def test_the_glossary_finds_words_and_opens_a_term_by_link():
    app = App({"page": "glossary", "term": "cape"})
    page = app.page
    terms = page.shown.sections["terms"]
    assert terms.startswith(f"<h2>{rich(BY_KEY['cape'].name)}</h2>")
    assert "def release" in re.sub("<[^>]*>", "", terms)
    assert terms.count("<math") == sum(bool(term.formula) for term in TERMS)
    page.set({"search": "whiten"})
    assert page.plan.found[0].key == "whitening"
    assert 1 <= len(page.plan.found) < 6
    assert f"{len(page.plan.found)} of {len(TERMS)} terms" in page.shown.headline
    again = App(url.parse(app.browser.query))
    assert (again.page.model.term, again.page.model.search) == ("cape", "whiten")
    panel = ControlPanel([(again.page.model, "search")])
    assert panel.state[0]["value"] == "whiten"
    panel.controls["search"].take("topic")
    assert again.page.model.search == "topic"
    with pytest.raises(ValueError, match="Search"):
        panel.controls["search"].take("x" * 1000)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("eigenvalue", "Eigenvalue, eigenvector"),
        ("zcdp", "zCDP: concentrated differential privacy"),
        ("q_comp", "q_comp"),
        ("matched error", "Matched error"),
        ("topic mass", "Topic mass"),
        ("typical error", "Typical error (standard deviation)"),
        ("likelihood ratio", "Likelihood ratio"),
        ("incoherence", "Incoherence μ₀"),
        ("gradient", "Gradient"),
        ("third moment", "Tensor, third moment"),
        ("confidence interval", "Confidence interval"),
        ("noise that cancels", "Zero-sum noise, noise that cancels"),
        ("noise that stays", "Local noise, noise that stays"),
    ],
)
def test_the_glossary_has_the_words_that_pages_write(word, name):
    app = App({"page": "glossary", "search": word})
    assert app.page.plan.found[0].name == name
    assert app.page.table()["name"].iloc[0] == name


def test_what_is_searched_for_is_foreign_text():
    app = App({"page": "glossary", "search": "<img src=x onerror=1>"})
    assert "<img" not in app.page.shown.headline and "&lt;img" in app.page.shown.headline
    app.page.model.search = "x" * 100
    assert "most 60 letters" in app.page.state.problem
    assert App({"page": "glossary", "term": "<b>"}).notice.count("<b>") == 0
