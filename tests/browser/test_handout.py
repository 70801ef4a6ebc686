"""The handout, opened as a file without a network: the numbers of `core`, four pages that answer, phones and dark rooms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import Privacy, cape, release
from core.privacy import gaussian_std, gdp_delta, gdp_epsilon, tradeoff
from core.schemes import average_std
from dashboard.packs.handout.build import LARGEST, handout
from dashboard.pages.learn.guarantee.model import FORMS, delta_of
from dashboard.problems.site_sizes import FAMILIES, largest_ratio, sizes

pytest.importorskip("playwright.sync_api")

SETTINGS = 200
CLOSE = 5e-3
# All numbers of all pages for many settings, in one call.
NUMBERS = """(settings) => settings.map((s) => {
  const total = s.sites * s.samples, top = largestRatio(total, s.sites, s.family)
  const n = siteSizes(total, s.sites, Math.min(s.imbalance, top), s.family)
  return {
    noise: averageNoise(s), top, gain: gain(n), bounds: gainBounds(total, s.sites), least: n[0],
    honest: honestGain(s.sites, s.colluding),
    deltas: Object.fromEntries(FACTS.forms.map((f) => [f.key, LOG_DELTAS[f.key](s, s.noise, s.colluding)])),
    mus: onlookers(s).map((o) => o.mu), learns: gdpEpsilon(s.delta, onlookers(s)[2].mu),
    missed: onlookers(s).map((o) => ndtr(1.6448536269514722 - o.mu)),
    seen: logDelta(s.epsilon, gdpMu(s.epsilon, s.delta) * Math.sqrt(leakage(s.sites))),
  }
})"""
# Released averages minus the true one, in units of one message's noise.
RUNS = """([sites, count]) => {
  const values = Array.from({length: sites}, (_, s) => s / sites)
  const found = Array.from({length: count}, () => drawRun(values, 1))
  return {
    cape: found.map((r) => r.average - r.truth), conventional: found.map((r) => r.conventional - r.truth),
    message: found.map((r) => r.messages[0] - r.values[0]), sums: found.map((r) => Math.abs(sum(r.zeroSum))),
  }
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("handout") / "handout.html"
    path.write_text(handout(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tab(browser, file):
    """The handout in an offline browser; a request that it makes, and an error, fails the module's last test."""
    context = browser.browser.new_context(offline=True)
    tab = context.new_page()
    tab.wrong = []
    tab.on(
        "request",
        lambda request: tab.wrong.append(request.url) if "handout.html" not in request.url else None,
    )
    tab.on("pageerror", lambda error: tab.wrong.append(str(error)))
    tab.on("console", lambda message: tab.wrong.append(message.text))
    tab.goto(file.as_uri())
    yield tab
    context.close()


def drawn_settings(rng):
    sites = int(rng.integers(2, 51))

    def log(low, high):
        return float(math.exp(rng.uniform(math.log(low), math.log(high))))

    return {
        "epsilon": log(1e-3, 10),
        "delta": log(1e-12, 0.1),
        "sites": sites,
        "samples": round(log(10, 1e5)),
        "colluding": int(rng.integers(0, sites)),
        "imbalance": log(1, 1e5),
        "noise": log(0.1, 1e6),
        "family": str(rng.choice(FAMILIES)),
    }


def expected(s):
    """The same numbers by `core`."""
    privacy, sites = Privacy(s["epsilon"], s["delta"]), s["sites"]
    total, message = sites * s["samples"], gaussian_std(1 / s["samples"], privacy)
    schemes = ("local", "conventional", "cape", "pooled")
    whole = release(np.zeros(sites), 1.0, privacy, scheme="cape", rng=np.random.default_rng(0))
    top = largest_ratio(total, sites, s["family"])
    n = sizes(total, sites, min(s["imbalance"], top), s["family"])
    roots = (1, cape.leakage(sites), cape.leakage(sites, s["colluding"]), sites)
    mus = [math.sqrt(root) / s["noise"] for root in roots]
    setting = {name: s[name] for name in ("epsilon", "noise", "sites", "colluding")}
    return {
        "noise": {one: average_std(one, np.full(sites, message)) for one in schemes},
        "top": top,
        "gain": cape.gain(n),
        "bounds": list(cape.gain_bounds(total, sites)),
        "least": float(n[0]),
        "honest": cape.honest_gain(sites, s["colluding"]),
        "deltas": {form.key: float(delta_of(form, **setting)) for form in FORMS},
        "mus": mus,
        "learns": gdp_epsilon(s["delta"], mus[2]),
        "missed": [float(tradeoff(0.05, mu)) for mu in mus],
        "seen": float(gdp_delta(s["epsilon"], whole.mu_aggregator)),
    }


def test_its_numbers_are_those_of_core_within_half_a_percent(tab):
    rng = np.random.default_rng(5)
    settings = [drawn_settings(rng) for _ in range(SETTINGS)]
    for s, found in zip(settings, tab.evaluate(NUMBERS, settings), strict=True):
        true = expected(s)
        for name, log in {**found.pop("deltas"), "seen": found.pop("seen")}.items():
            delta = true["deltas"].get(name, true["seen"])
            if delta < 1e-300:
                assert log < math.log(1e-300) + CLOSE, (name, s)
            else:
                np.testing.assert_allclose(log, np.log(delta), rtol=0, atol=CLOSE, err_msg=f"{name} {s}")
        noise = found.pop("noise")
        for scheme, std in true["noise"].items():
            assert noise[scheme] == pytest.approx(std, rel=CLOSE), (scheme, s)
        for name, value in found.items():
            np.testing.assert_allclose(value, true[name], rtol=CLOSE, atol=1e-12, err_msg=f"{name} {s}")


def test_the_browsers_noise_has_the_protocols_distribution(tab):
    # 6 standard errors on the mean and the variance of 3 laws: false alarm below 2e-8. 2/3 σ would be 40 off.
    sites, count = 10, 20_000
    found = tab.evaluate(RUNS, [sites, count])
    assert max(found["sums"]) < 1e-12
    for name, std in {"cape": 1 / sites, "conventional": sites**-0.5, "message": 1.0}.items():
        errors = np.array(found[name]) / std
        assert abs(errors.mean()) < 6 / math.sqrt(count), name
        assert abs((errors**2).mean() - 1) < 6 * math.sqrt(2 / count), name
    # Kolmogorov and Smirnov's distance from the normal law; beyond 2.5/√n once in 130,000 times.
    from scipy.stats import kstest

    assert kstest(np.array(found["cape"]) * sites, "norm").statistic < 2.5 / math.sqrt(count)


def test_it_answers_opens_by_link_fits_a_phone_in_the_dark_and_says_what_it_is(tab, file):
    for name in ("protocol", "gain", "guarantee"):
        tab.locator(f"nav [data-page={name}]").click()
        words, picture = tab.locator("#words"), tab.locator("#figure-main svg[role=img]")
        before, drawn = words.inner_html(), picture.inner_html()
        slider = tab.locator("#primary input")
        slider.focus()
        slider.press("End")
        assert words.inner_html() != before and picture.inner_html() != drawn
        for button in tab.locator("#presets button").all():
            button.click()
        assert tab.evaluate("location.hash").startswith(f"#{name}")
        assert "NaN" not in tab.locator("main").inner_html()
    opens_by_link(tab)
    fits_a_phone_in_the_dark(tab)
    says_what_it_is(tab, file)
    assert tab.wrong == []


def opens_by_link(tab):
    """A link opens a page with its settings; impossible ones are refused."""
    tab.evaluate("location.hash = '#gain?sites=12&imbalance=1'")
    tab.wait_for_function("document.getElementById('heading').textContent === 'Gain'")
    assert "12 times" in tab.locator("#words").inner_text()
    tab.evaluate("location.hash = '#guarantee?sites=1e9&colluding=-5&epsilon=x&noise=1'")
    tab.wait_for_function("document.getElementById('heading').textContent === 'Guarantee'")
    assert tab.evaluate("[state.sites, state.colluding, state.epsilon, state.noise]") == [50, 0, 1, 1]


def fits_a_phone_in_the_dark(tab):
    """No page is wider than a phone, in light and in the dark."""
    tab.set_viewport_size({"width": 420, "height": 900})
    paper = "(colour) => getComputedStyle(document.documentElement).backgroundColor === colour"
    for dark, colour in ((False, "rgb(255, 255, 255)"), (True, "rgb(20, 24, 29)")):
        tab.emulate_media(color_scheme="dark" if dark else "light")
        tab.wait_for_function(paper, arg=colour)
        for name in ("protocol", "gain", "guarantee"):
            tab.locator(f"nav [data-page={name}]").click()
            assert tab.evaluate("document.documentElement.scrollWidth") == 420


def says_what_it_is(tab, file):
    """What it is, what it is not, and that it needs no other address."""
    tab.locator("nav [data-page=protocol]").click()
    text = tab.locator("body").inner_text()
    assert "Sites S =" in text and "CAPE Lab 0" in text and "does not run the protocol" in text
    assert "cryptographic random generator" in text
    assert file.stat().st_size < LARGEST
    assert "http" not in file.read_text().replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
