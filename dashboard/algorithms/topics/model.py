"""What *Topics* computes: a curve along ε, and the topics of every method at the present settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import param

from core import Privacy, sweep, topics
from core.schemes import PLAIN, SCHEMES, is_private
from core.topics import metrics, spectral
from core.topics.problem import METHODS, ONE_CURATOR
from dashboard.algorithms.topics.naming import Name, names
from dashboard.page.model import Model
from dashboard.problems import topics as problems
from dashboard.runs.axes import axes, cells_along, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, beyond_least, summary, typical
from dashboard.state.controls import LogInteger, LogNumber
from dashboard.state.number_text import exact_text, number_text
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import corpora

AXES = axes(shared_axis("epsilon", (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)))
CURATOR = tuple(m for m in METHODS if m in ONE_CURATOR)
DOCUMENTS = "documents"  # The fit that reads the documents.
SLOW = ("variational", "configuration-1-pure", "configuration-1")
WORDS = 10  # Top words of a topic that are judged.


@dataclass(frozen=True, eq=False)
class Spot:
    """Repeated releases of one method, and the topics of that which is drawn, see `typical`.

    Attributes
    ----------
    method : str
    found : Topics
        The drawn release.
    place, right : ndarray of shape (k,)
        The row of `found.words` that goes with every reference topic, −1 for none; and the share of its top words that are
        right, or of its probability where that is measured.
    value, number : float
        Means over the releases: the measure, and the number of topics of which more than half is right.
    each : tuple of dict
        The figures of every run.
    """

    method: str
    found: topics.Topics
    place: np.ndarray
    right: np.ndarray
    value: float
    number: float
    each: tuple[dict, ...]


@dataclass(frozen=True, eq=False)
class Background:
    """Known without noise: words, topics and their names, the measure of one distribution for all, a proposed k."""

    words: tuple[str, ...]
    documents: int
    reference: topics.Topics
    trivial: float
    names: tuple[Name, ...]
    proposed: int | None = None


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen."""

    @property
    def measure(self) -> str:
        """What the curve counts."""
        return self.here["measure"]

    @property
    def measurable(self) -> tuple[str, ...]:
        """Without known topics there is no error."""
        return ("found", *(["error"] if self.source.synthetic else []), "overlap", "mass", "perplexity")

    @property
    def curator(self) -> tuple[str, ...]:
        """The methods by which one curator of all documents adds the noise."""
        return tuple(m for m in self.shown if m in ONE_CURATOR)

    @property
    def privacy(self) -> Privacy:
        """The privacy target."""
        return Privacy(self.settings.epsilon, self.settings.delta)

    @property
    def jobs(self) -> list[sweep.Job]:
        """Every run of the curve; slow methods come last."""
        return sorted(super().jobs, key=lambda job: (beyond_least(job), job.scheme in SLOW))


def fits(plan: Plan) -> list[Fit]:
    """The documents, and all releases of every method at the present settings; the slow methods come last."""
    order = sorted(plan.shown, key=lambda m: (m in SLOW, is_private(m)))
    documents = tuple(sorted((n, v) for n, v in plan.here.items() if n not in ("epsilon", "delta")))
    runs, own = {m: plan.jobs_here(m) for m in order}, plan.source.name == "own"
    return [
        Fit(DOCUMENTS, partial(read, plan), same=(plan.problem, documents)),
        *(Fit(m, partial(spot, jobs, own=own), jobs, each=True) for m, jobs in runs.items()),
    ]


def spot(jobs: Sequence[sweep.Job], cancelled: Any = None, *, own: bool = False) -> Spot:
    """Fit once a job; the topics are put in the order of the non-private ones."""
    job, settings = jobs[0], dict(jobs[0].settings)
    data = sweep.statistics(job.problem, settings)
    privacy = Privacy(settings["epsilon"], settings["delta"])
    found = [job.problem.fit(data, job.scheme, privacy, one.rng, settings) for one in jobs]
    figures = tuple(job.problem.figures(data, one, settings) for one in found)
    reference = data.reference(settings["k"], settings["alpha0"]).words
    placed = [_compared(reference, one.words, settings["measure"]) for one in found]
    counts = [int(np.count_nonzero(right > 0.5)) for _, right in placed]
    drawn = typical(counts, own=own)
    value = float(np.mean([one["value"] for one in figures]))
    return Spot(job.scheme, found[drawn], *placed[drawn], value, float(np.mean(counts)), figures)


def _compared(reference, words, measure):
    """Where each reference topic is among others, and the share of it that is right; matched as the measure matches."""
    count = min(WORDS, reference.shape[1])
    match = partial(metrics.match_top_words, count=count) if measure in ("found", "overlap") else None
    place = (match or metrics.match_topics)(reference, words)
    placed = np.zeros_like(reference)
    placed[place >= 0] = words[place[place >= 0]]
    if measure == "mass":
        return place, np.where(placed.any(axis=1), 1 - np.abs(reference - placed).sum(axis=1) / 2, 0.0)
    return place, np.count_nonzero(tops(reference, count) & tops(placed, count), axis=1) / count


def tops(words: np.ndarray, count: int) -> np.ndarray:
    """Which words are among the top ones of each topic, shape (k, d); one without probability is none."""
    top = np.zeros(words.shape, dtype=bool)
    np.put_along_axis(top, np.argsort(-words, axis=1, kind="stable")[:, :count], True, axis=1)
    return top & (words > 0)


def read(plan: Plan, cancelled: Any = None) -> Background:
    """Read the documents, which may take time, and compute what is known of them without noise."""
    data, here = sweep.statistics(plan.problem, plan.here), plan.here
    reference = data.reference(here["k"], here["alpha0"])
    law = np.asarray(data.together.sum(axis=0)).ravel()
    law = law / law.sum()
    return Background(
        data.words,
        data.together.shape[0],
        reference,
        _trivial(data, reference, law, here["measure"]),
        names(reference, data.words, law, here),
        None if plan.source.synthetic else spectral.proposed_topics(data.together, alpha0=here["alpha0"]),
    )


def _trivial(data, reference, law, measure):
    """The measure of one distribution of words for all documents."""
    flat = np.tile(law, (len(reference.words), 1))
    if measure == "perplexity":
        return metrics.unigram_perplexity(*data.halves)
    if measure == "mass":
        return metrics.shared_mass(reference.words, flat)
    if measure == "error":
        return metrics.topic_error(data.truth, np.tile(law, (len(data.truth), 1)))
    counted = metrics.overlap if measure == "overlap" else metrics.topics_found
    return float(counted(reference.words, flat, count=min(WORDS, len(law))))


class TopicsModel(Model):
    """The documents, the number of topics, and the split of the budget."""

    axes = AXES
    protects = "one document"
    run_settings: ClassVar = {"limit": 600.0}
    lasting = True

    data = param.Selector(
        default="notes",
        objects={
            "hospital notes (invented)": "notes",
            "Python texts (docstrings)": "docstrings",
            "synthetic": "synthetic",
            "20 newsgroups": "newsgroups",
        },
        label="Documents",
        doc="The notes of a hospital's five wards are invented: drawn at random from words of our own. Real text "
        "is 28 804 docstrings of Python, NumPy, SciPy, scikit-learn, pandas and others, or messages that the "
        "app downloads. Documents of a known distribution have known true topics.",
    )
    compare = param.Selector(
        default="schemes",
        objects={"sites": "schemes", "configurations": "configurations"},
        label="Compare",
        doc="In a link: all configurations of one curator in place of the schemes.",
    )
    configurations = param.ListSelector(
        default=[],
        objects=list(CURATOR),
        label="Configurations",
        doc="One curator of all documents adds the noise: ours (E), the published configurations 1 to 4, and private "
        "variational inference.",
    )
    topics = param.Integer(
        5,
        bounds=problems.TOPICS,
        label="Topics k",
        doc="The method searches for so many topics. More topics are harder to separate.",
    )
    vocabulary = param.Selector(
        default=200,
        objects=[100, 200, 500, 1000],
        label="Vocabulary d",
        doc="So many of the most frequent words are kept. Fewer words mean less noise. In text a plural counts as"
        " its singular. The vocabulary is treated as public.",
    )
    documents = LogInteger(
        10_000,
        bounds=problems.DOCUMENTS,
        label="Synthetic documents N",
        doc="All sites together hold so many documents of 50 words each. Real text is used whole.",
    )
    alpha0 = LogNumber(
        0.1,
        bounds=(0.01, 10.0),
        label="Topic mixture α₀",
        doc="If α₀ is small, a document has one topic. If it is large, all have the same mixture, and topics are "
        "hard to separate.",
    )
    measure = param.Selector(
        default="found",
        objects={"topics found": "found", "top words": "overlap", "topic mass": "mass"}
        | {"error": "error", "perplexity": "perplexity"},
        label="Curve shows",
        doc="The curve shows the topics of which more than five of the ten top words are right; the share of "
        "top-10 words, or of all words by their probability, in common with the non-private topics; the "
        "distance from the true topics (synthetic documents only); or how well held-out words are predicted. "
        "None of them is private.",
    )
    length = param.Selector(
        default=0,
        objects={"usual": 0, "6": 6, "12": 12, "25": 25, "50": 50, "100": 100},
        label="Typical length L",
        doc="This public number estimates how many words a document has. With φ it bounds the weight of a "
        "document.",
    )
    spread = param.Selector(
        default=0.0,
        objects={"by ε": 0.0, "1": 1.0, "1.5": 1.5, "3": 3.0, "8": 8.0},
        label="Equalisation φ",
        doc="Documents may be unequal to this degree. A small φ gives less noise, and a bias against repeated "
        "words.",
    )
    third = param.Number(
        0.2,
        bounds=(0.02, 0.8),
        step=0.02,
        label="Budget share of T",
        doc="The third moment takes this part of the budget. The first two take the rest.",
    )
    cut = param.Selector(
        default="E",
        objects=["E", "1", "1-pure", "2", "3", "4"],
        doc="In earlier links: the configuration whose noisy moments were drawn.",
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.own_text: corpora.OwnText | None = None

    @property
    def uploaded(self) -> corpora.OwnText | None:
        """The user's own documents."""
        return self.own_text

    def current_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """In earlier links configurations took the place of the schemes."""
        found = {name: value for name, value in values.items() if name != "compare"}
        if values.get("compare") != "configurations":
            return found
        return found | {"schemes": [PLAIN], "configurations": list(CURATOR)}

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they contradict each other: more topics than words, or an error without known true topics.
        """
        settings = self.controls.snapshot()
        chosen = {*settings.schemes, *self.configurations}
        own = ("data", "topics", "documents", "vocabulary", "alpha0", "measure", "length", "spread", "third")
        setup = problems.setup(
            settings,
            **{name: getattr(self, name) for name in own},
            at_sites=not self.configurations or any(is_private(m) for m in settings.schemes),
            text=self.own_text,
        )
        return Plan(
            settings=self.with_noise(settings, setup.problem),
            source=setup.source,
            problem=setup.problem,
            shown=tuple(m for m in LOOKS if m in chosen),
            cells=cells_along(AXES["epsilon"], setup.cell),
            here=setup.here,
            label=self._label(setup.here, setup.source),
        )

    def _label(self, here, source):
        text = (
            f"{source.title}: k = {here['k']}, d = {here['vocabulary']}, α₀ = {number_text(here['alpha0'])}"
        )
        return f"{text}, S = {here['sites']}, δ = {exact_text(here['delta'])}"


def at_sites(plan: Plan) -> bool:
    """Whether a scheme of several sites is shown."""
    return not plan.curator or any(m in SCHEMES and is_private(m) for m in plan.shown)


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """The measure, averaged, by method and ε; an interval ends where the measure does."""
    found, measure = summary(rows, plan.axis, "value"), plan.here["measure"]
    most = {"found": plan.here["k"], "overlap": 1, "mass": 1}.get(measure)
    return found.assign(low=found.low.clip(lower=0), high=found.high.clip(upper=most))
