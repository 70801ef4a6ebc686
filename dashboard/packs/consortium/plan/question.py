"""A plan's question, frozen, and its answer: by a search, or exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import Privacy
from core.schemes import error_of_average, most_dropouts, named
from core.sweep import search as plan
from core.sweep.targets import Target
from dashboard.guarantee.guarantee import Terms
from dashboard.packs.consortium.plan.known_sites import Averages, Silences, Silent, silences, worst
from dashboard.packs.consortium.plan.metrics import Metric
from dashboard.problems.columns import Released
from dashboard.state.controls import Settings
from dashboard.state.number_text import equals, range_text
from dashboard.theme.scheme_style import planned_order

AFTER = "cape-after"  # CAPE in the order in which nothing of a silent site's noise stays.
_MOSTLY = " in 95 % of releases"
FREE = {
    "epsilon": ("Privacy ε", "ε"),
    "samples": ("Records a site Nₛ", "Nₛ"),
    "sites": ("Sites S", "S"),
}


@dataclass(frozen=True)
class Question:
    """A plan's question, frozen.

    Attributes
    ----------
    cells : tuple of (float, tuple of pairs)
        Values of the free setting by rising cost, and all settings there.
    here : mapping as pairs
        The settings but for the free one.
    width : int
        d, numbers in a record.
    problem
        Of `core.sweep`; None for averaging, whose answer is exact.
    absent : tuple of str
        Controls that have no effect on it.
    records : int or None
        How many there are at all sites together, at most; None for averaging, whose records are not drawn.
    risk : int
        Guesses of 100 at one record that may be right, where the error is sought.
    released : Released or None
        The summary of a column, whose answer is exact; None for a problem that is searched.
    uncovered : str
        What no guarantee covers, because it was computed from the records; "" for nothing.
    per_person : int
        The most records that one person may have, as the table is described or as the page asks.
    names : tuple of str
        What the sites of the user's own table are called: foreign text. Empty: they have no names.
    averages : tuple of Averages
        Of every summary in the release, where sites whose records are known may fall silent; else empty. **Not private.**
    """

    settings: Settings
    kind: str
    metric: Metric
    level: float
    risk: int
    free: str
    chance: float | None
    most: int
    schemes: tuple[str, ...]
    title: str
    unit: str
    own: bool
    synthetic: bool
    absent: tuple[str, ...]
    uncovered: str
    problem: Any
    cells: tuple[tuple[float, tuple], ...]
    here: tuple[tuple[str, Any], ...]
    width: int = 1
    records: int | None = None
    released: Released | None = None
    per_person: int = 1
    names: tuple[str, ...] = ()
    averages: tuple[Averages, ...] = ()

    @property
    def target(self) -> Target:
        """The target of the search."""
        return self.metric.target(None if self.measured else self.level, self.chance)

    @property
    def measured(self) -> bool:
        """Whether the error is sought, which needs no search: the risk fixes ε."""
        return self.free == "error"

    @property
    def counted(self) -> bool:
        """Whether whole numbers are sought."""
        return self.free in ("samples", "sites")

    @property
    def silent(self) -> bool:
        """Whether sites may fall silent."""
        return any("dropped" in dict(cell) for _, cell in self.cells)

    def order(self, answers: Mapping[str, plan.Answer]) -> tuple[str, ...]:
        """Its schemes as sentences and plans name them: CAPE with the sum after stands before CAPE if it is the better one.

        That is where dropouts are planned, and it allows so many.
        """
        listed = [scheme for scheme in planned_order() if scheme in self.schemes]
        if {AFTER, "cape"} <= {*listed} and self._carries(AFTER, answers.get(AFTER)):
            listed.remove(AFTER)
            listed.insert(listed.index("cape"), AFTER)
        return tuple(listed)

    def _carries(self, scheme, answer):
        """Whether a scheme is planned for dropouts, and for as many as the settings say."""
        decided = answer is not None and np.isfinite(answer.high)
        sites = self.sites(answer) if decided else dict(self.here)["sites"]
        asked = self.settings.terms(sites).get("dropouts", 0)
        return 0 < asked == dict(terms_of(self.settings, scheme, sites)).get("dropouts", 0)

    def knows(self, scheme: str) -> bool:
        """Whether an error holds how far the average of those that send is from that of all."""
        sites = dict(self.here)["sites"]
        silent = "dropped" in run_terms_of(self.settings, scheme, sites)
        return bool(self.averages) and silent and not named(scheme).one_site

    @property
    def sought(self) -> str:
        """The name of what is sought."""
        return self.metric.heading if self.measured else FREE[self.free][0]

    @property
    def risk_text(self) -> str:
        """The risk that the error is sought for."""
        return f"guess right at most {self.risk} of 100 times"

    @property
    def about(self) -> dict[str, Any]:
        """What the phrase of the metric refers to; a user's own table has no known true components."""
        labels = getattr(self.problem, "loss", "") == "logistic"
        base = "the base rate" if labels else "the mean"
        return {
            "known": "non-private" if self.own else "true",
            "k": dict(self.here).get("k", 0),
            "base": base,
        }

    @property
    def sentence(self) -> str:
        """What is asked of a release: completes "so that the release …"."""
        return self.metric.words(self.level, **self.about)

    @property
    def condition(self) -> str:
        """What is asked of a release, as a clause: "95 % of releases fall within 0.6 d of the true mean"."""
        said = self.sentence
        if not said.endswith(_MOSTLY):
            return f"a release can {said}"
        return f"{_MOSTLY.removeprefix(' in ')} fall {said.removeprefix('come ').removesuffix(_MOSTLY)}"

    @property
    def key(self):
        """The key of the answers: all that they depend on."""
        return (
            self.problem,
            self.cells,
            self.target,
            self.schemes,
            self.most,
            self.settings.noise_seed,
            self.here,
            self.released,
            self.averages,
        )

    @property
    def most_samples(self) -> dict[str, int]:
        """The largest number of records a site, where the sites are not given."""
        given = self.records is None or "samples" in self.absent
        return {} if given else {"samples": self.records // dict(self.here)["sites"]}

    @property
    def changes(self) -> dict[float, dict[str, Any]]:
        """The settings that change with each value of the free setting."""
        here = dict(self.here)
        moved = {n for _, cell in self.cells for n, v in cell if here[n] != v}
        return {x: {n: v for n, v in cell if n in moved} for x, cell in self.cells}

    @property
    def label(self) -> str:
        """The settings as one line of text."""
        here = dict(self.here)
        samples = here["samples"] if "samples" in here else here["documents"] // here["sites"] or None
        known = {"epsilon": here["epsilon"], "samples": samples, "sites": here["sites"]}
        parts = [
            equals(FREE[n][1], range_text(v)) for n, v in known.items() if n != self.free and v is not None
        ]
        parts.append(equals("δ", here["delta"]))
        parts += [equals("k", here["k"])] if "k" in here else []
        return (
            ", ".join(parts) if self.problem is None and not self.own else f"{self.title}: {', '.join(parts)}"
        )

    def epsilon(self, answer: plan.Answer) -> float | None:
        """The ε at which the answer meets the target; None if it does not."""
        if not np.isfinite(answer.high):
            return None
        return answer.high if self.free == "epsilon" else self.settings.epsilon

    def terms(self, answer: plan.Answer) -> Terms:
        """What that release is planned for."""
        return terms_of(self.settings, answer.scheme, self.sites(answer))

    def most_silent(self, answer: plan.Answer) -> int | None:
        """How many sites may fall silent at most, where that is fewer than the settings say; else None."""
        asked, held = self.settings.terms(self.sites(answer)), dict(self.terms(answer))
        return held.get("dropouts", 0) if held.get("dropouts", 0) < asked.get("dropouts", 0) else None

    def earlier(self, answer: plan.Answer) -> float:
        """Share of that release's μ² that is spent before its last message; see `core.schemes.over_stages`."""
        found = getattr(self.problem, "earlier", None)
        return 0.0 if found is None else found(dict(self.here) | {"sites": self.sites(answer)})

    def sites(self, answer: plan.Answer) -> int:
        """The number of sites of that release."""
        return int(answer.high) if self.free == "sites" else dict(self.here)["sites"]


def terms_of(settings: Settings, scheme: str, sites: int) -> Terms:
    """What a scheme's noise is planned for: no more dropouts than it can go on without, see `core.schemes.most_dropouts`."""
    found = settings.terms(sites)
    if "dropouts" in found:
        most = most_dropouts(scheme, sites, colluding=found.get("colluding", 0))
        found["dropouts"] = min(found["dropouts"], most)
    if scheme == AFTER:  # As desks release it, in whole numbers.
        found["own_noise"] = "sum"
    return tuple((name, value) for name, value in found.items() if name != "dropouts" or value)


def run_terms_of(settings: Settings, scheme: str, sites: int) -> dict[str, Any]:
    """The same, and in "dropped" that all who may fall silent do; see `Settings.run_terms`."""
    found = dict(terms_of(settings, scheme, sites))
    return found | ({"dropped": found["dropouts"]} if "dropouts" in found else {})


def cells_of(question: Question, scheme: str) -> tuple[tuple[float, tuple], ...]:
    """The cells of a question as one scheme's releases are planned."""
    found = []
    for x, cell in question.cells:
        here = {name: value for name, value in cell if name not in ("dropouts", "dropped")}
        found.append(
            (x, tuple(sorted((here | run_terms_of(question.settings, scheme, here["sites"])).items())))
        )
    return tuple(found)


def search(question: Question, scheme: str) -> plan.Search:
    """The search for one scheme's answer, not started yet."""
    return plan.Search(
        question.problem,
        cells_of(question, scheme),
        question.target,
        scheme,
        question.settings.noise_seed,
        most=question.most,
    )


def errors(question: Question, scheme: str, x: float) -> list[float]:
    """What 95 % of errors of every summary in the release stay within, each in its unit, where the sought setting is x.

    Where the records of sites that may fall silent are known, it is of the worst silence for them, see `worst_silence`.
    """
    if question.knows(scheme):
        found = [silent.error for silent in worst_silence(question, scheme, x)]
    else:
        at, privacy, options = _at(question, scheme, x)
        sizes = {"sites": at["sites"], "samples": at["samples"]}
        found = [error_of_average(scheme, **sizes, privacy=privacy, **options)] * len(question.released.parts)
    return [error * part.summary.span for error, part in zip(found, question.released.parts, strict=True)]


def worst_silence(question: Question, scheme: str, x: float) -> list[Silent]:
    """The worst silence of known sites for every summary in the release, where the sought setting is x."""
    at, privacy, options = _at(question, scheme, x)
    change = options.pop("change")
    return [
        worst(scheme, at["samples"], averages, question.names, privacy=privacy, change=change, terms=options)
        for averages in question.averages
    ]


def silences_of(question: Question, scheme: str) -> Silences:
    """The silences of known sites that are tried for the first summary in the release."""
    here = dict(question.here)
    terms = run_terms_of(question.settings, scheme, here["sites"])
    return silences(scheme, here["samples"], question.averages[0], tuple(terms.items()))


def _at(question, scheme, x):
    """Settings, target and options of a release where the sought setting is x."""
    at = dict(question.here) | {question.free: int(x) if question.counted else x}
    terms = run_terms_of(question.settings, scheme, at["sites"])
    return at, Privacy(at["epsilon"], at["delta"]), terms | {"change": question.released.change}


def exact(question: Question, scheme: str) -> plan.Answer:
    """The answer for summaries of columns, whose error is known exactly, in the unit of the first."""
    low, high = question.cells[0][0], question.cells[-1][0]

    def figure(x):
        return errors(question, scheme, x)[0]

    if question.measured:
        error = figure(low)
        return plan.Answer(scheme, "found", error, error, error)
    x = plan.solve(figure, low, high, question.level, whole=question.counted)
    if x == low:
        return plan.Answer(scheme, "at once", np.nan, low, np.nan)
    if not np.isfinite(x):
        return plan.Answer(scheme, "out of reach", high, x, np.nan)
    return plan.Answer(scheme, "found", x, x, x)
