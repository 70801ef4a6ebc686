"""What the topics page computes: a curve along ε, and the topics of every method at the present settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import param

from core import Privacy, sweep, topics
from core.schemes import PLAIN, is_private
from core.topics import configurations, metrics, spectral
from core.topics.problem import METHODS, ONE_CURATOR, Problem
from core.topics.scaled_noise import gap
from dashboard.page.model import Model
from dashboard.page.sweep_plan import SweepPlan, average_here, beyond_least, summary
from dashboard.pages.analyse.topics.naming import Name, names
from dashboard.problems import topics as problems
from dashboard.state.controls import LogInteger, LogNumber, Settings
from dashboard.state.number_text import at_most_text, number_text
from dashboard.theme.scheme_style import pictured
from data.catalogue import corpora

EPSILONS = (
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
)  # Stops of the slider, among them the one that the page opens on.
MEASURES = {
    "found": "topics found",
    "overlap": "top words shared with the non-private topics",
    "mass": "topic mass shared with the non-private topics",
    "error": "distance of topics from the truth (ℓ1)",
    "perplexity": "held-out perplexity",
}
CURATOR = (PLAIN, *(m for m in METHODS if m in ONE_CURATOR))
MOST_KEPT = 2_000  # Numbers k·d up to which the topics of every repetition are kept, not of the first alone.
_READ: dict = {}  # The latest result of `at_once`, for all sessions.
SLOW = ("variational", "configuration-1-pure", "configuration-1")


@dataclass(frozen=True, eq=False)
class Spot:
    """Topics of one method in one draw.

    `place[j]` is the row of `found.words` that goes with reference topic j, −1 for none; `right[j]` is the share of its
    top words that are right, or of its probability where that is measured.
    """

    method: str
    found: topics.Topics
    place: np.ndarray
    value: float
    right: np.ndarray

    @property
    def found_topics(self) -> int:
        """Topics of which more than half is right."""
        return int(np.count_nonzero(self.right > 0.5))

    @property
    def each(self) -> tuple[dict]:
        """The figures of its run, and itself, for the curve's row."""
        return (
            {"value": self.value, "topics": len(self.found.words), "found": self.found_topics, "spot": self},
        )


@dataclass(frozen=True, eq=False)
class Background:
    """Reference values of the page: words, the non-private topics with their names, the trivial answer, a proposed k."""

    words: tuple[str, ...]
    documents: int
    reference: topics.Topics
    trivial: float
    public_vocabulary: bool
    gap: float
    proposed: int | None = None
    names: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen."""

    axis: ClassVar[str] = "epsilon"
    settings: Settings
    source: corpora.Source
    problem: Problem
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    cut: str
    label: str

    @property
    def by_configuration(self) -> bool:
        """Whether the page compares configurations of one curator instead of schemes of sites."""
        return "variational" in self.methods

    @property
    def documents_here(self) -> tuple:
        """What is known of the documents depends on these settings, and stays while ε moves."""
        return tuple(sorted((n, v) for n, v in self.here.items() if n not in ("epsilon", "delta")))

    @property
    def privacy(self) -> Privacy:
        """The privacy target."""
        return Privacy(self.settings.epsilon, self.settings.delta)

    @property
    def jobs(self) -> list[sweep.Job]:
        """Every run of the curve: first those whose means are said, then what draws the points, and fast methods."""
        near = set(self.around)

        def late(job):
            return dict(job.settings)["epsilon"] not in near, beyond_least(job), job.scheme in SLOW

        return sorted(super().jobs, key=late)


def row(job: sweep.Job, cancelled) -> dict:
    """One run of the curve, with the number of topics that it finds and its `Spot`: of many numbers the first alone."""
    if not is_private(job.scheme):
        return job.run()  # It does not depend on ε, so it is run once and cached.
    (figures,) = spot(job).each
    kept = not job.repeat or figures["spot"].found.words.size <= MOST_KEPT
    return job.row({name: figure for name, figure in figures.items() if name != "spot" or kept})


def spot(job: sweep.Job) -> Spot:
    """Fit once; the topics are put in the order of the non-private ones."""
    settings = dict(job.settings)
    data = sweep.statistics(job.problem, settings)
    privacy = Privacy(settings["epsilon"], settings["delta"])
    found = job.problem.fit(data, job.scheme, privacy, job.rng, settings)
    reference = data.reference(settings["k"], settings["alpha0"]).words
    value = job.problem.figures(data, found, settings)["value"]
    # The picture matches topics as the number beside it does.
    by_words = settings["measure"] in ("found", "overlap")
    match = (
        partial(metrics.match_top_words, count=min(10, reference.shape[1]))
        if by_words
        else metrics.match_topics
    )
    place = match(reference, found.words)
    right = _right(reference, _placed(found.words, place), settings["measure"])
    return Spot(job.scheme, found, place, value, right)


def opening(plan: Plan, cancelled) -> dict[sweep.Job, dict]:
    """Every run of the drawn schemes at the present settings: their means, and the releases nearest to them."""
    jobs = [job for m in pictured(plan.shown) if is_private(m) for job in plan.jobs_here(m)]
    return {job: row(job, cancelled) for job in jobs}


def _placed(words, place):
    """Topics in the order of the reference; a lost one has no words."""
    placed = np.zeros((len(place), words.shape[1]))
    placed[place >= 0] = words[place[place >= 0]]
    return placed


def _right(reference, placed, measure):
    """The share of each topic that is found, shape (k,): of its top words, or of its probability where that is measured."""
    if measure == "mass":
        return np.where(placed.any(axis=1), 1 - np.abs(reference - placed).sum(axis=1) / 2, 0.0)
    count = min(10, reference.shape[1])
    return np.count_nonzero(_tops(reference, count) & _tops(placed, count), axis=1) / count


def _tops(words, count):
    """Which words are among the top ones of each topic, (k, d); one without probability is none."""
    top = np.zeros(words.shape, dtype=bool)
    np.put_along_axis(top, np.argsort(-words, axis=1, kind="stable")[:, :count], True, axis=1)
    return top & (words > 0)


def background(plan: Plan) -> Background:
    """The non-private side of the picture. Loads the documents, which may take time."""
    data = sweep.statistics(plan.problem, plan.here)
    reference = data.reference(plan.here["k"], plan.here["alpha0"])
    law = np.asarray(data.together.sum(axis=0)).ravel()
    law = law / law.sum()
    if plan.here["measure"] == "perplexity":
        trivial = metrics.unigram_perplexity(*data.halves)
    elif plan.here["measure"] == "mass":
        trivial = metrics.shared_mass(reference.words, np.tile(law, reference.words[:, :1].shape))
    elif plan.here["measure"] == "error":
        trivial = metrics.topic_error(data.truth, np.tile(law, (len(data.truth), 1)))
    else:
        counted = metrics.overlap if plan.here["measure"] == "overlap" else metrics.topics_found
        flat, count = np.tile(law, reference.words[:, :1].shape), min(10, len(law))
        trivial = float(counted(reference.words, flat, count=count))
    eigenvalues = topics.population_eigenvalues(np.maximum(reference.alpha, 1e-12))
    return Background(
        data.words,
        data.together.shape[0],
        reference,
        trivial,
        data.vocabulary_public,
        gap(eigenvalues),
        None
        if plan.source.synthetic
        else spectral.proposed_topics(data.together, alpha0=plan.here["alpha0"]),
        names(reference, data.words, law, plan.here),
    )


def read(plan: Plan, cancelled) -> Background:
    """Read the documents, which may take time, and compute what is known of them without noise."""
    cancelled.tell("Counting words …")
    return background(plan)


def at_once(plan: Plan) -> tuple[Background, Spot] | None:
    """What the first picture shows without noise: of bundled documents, as the page opens, it takes no worker."""
    opens = ("notes", 5, 200, 0.1, "found")
    if tuple(plan.here[name] for name in ("data", "k", "vocabulary", "alpha0", "measure")) != opens:
        return None
    key = plan.problem, plan.documents_here
    if key not in _READ:
        _READ.clear()
        _READ[key] = background(plan), spot(plan.job_here(PLAIN))
    return _READ[key]


class TopicsModel(Model):
    """The documents, the number of topics, the comparison and the split of the budget."""

    data = param.Selector(
        default="notes",
        objects={
            "hospital notes (invented)": "notes",
            "Python texts (docstrings)": "docstrings",
            "synthetic": "synthetic",
            "20 newsgroups": "newsgroups",
        },
        label="Documents",
        doc="Invented notes of a hospital's five wards, drawn at random from words of our own. Or real text: 28\u202f804 "
        "docstrings of Python, NumPy, SciPy, scikit-learn, pandas and others, or messages that are downloaded. "
        "Or documents of a known distribution, whose true topics are known.",
    )
    compare = param.Selector(
        default="schemes",
        objects={"sites": "schemes", "configurations": "configurations"},
        label="Compare",
        doc="The schemes of several sites under configuration E; or where one curator of all documents adds the "
        "noise: ours (E), the published configurations 1 to 4, and private variational inference.",
    )
    topics = param.Integer(
        5,
        bounds=problems.TOPICS,
        label="Topics k",
        doc="Number of topics to find. More topics are harder to separate.",
    )
    vocabulary = param.Selector(
        default=200,
        objects=[100, 200, 500, 1000],
        label="Vocabulary d",
        doc="Number of most frequent words to keep. Fewer words mean less noise. Of text, a plural counts as its singular. "
        "The vocabulary is treated as public.",
    )
    documents = LogInteger(
        10_000,
        bounds=problems.DOCUMENTS,
        label="Synthetic documents N",
        doc="Number of documents, of 50 words each, at all sites together. Real text is used whole.",
    )
    alpha0 = LogNumber(
        0.1,
        bounds=(0.01, 10.0),
        label="Topic mixture α₀",
        doc="Small: a document has one topic. Large: all have the same mixture, and topics are hard to separate.",
    )
    measure = param.Selector(
        default="found",
        objects={"topics found": "found", "top words": "overlap", "topic mass": "mass"}
        | {"error": "error", "perplexity": "perplexity"},
        label="Curve shows",
        doc="Topics of which more than five of the ten top words are right; share of top-10 words, or of all words by "
        "their probability, in common with the non-private topics; "
        "distance from the true topics (synthetic documents only); or how well held-out words are predicted. None of "
        "them is private.",
    )
    length = param.Selector(
        default=0,
        objects={"usual": 0, "6": 6, "12": 12, "25": 25, "50": 50, "100": 100},
        label="Typical length L",
        doc="A public estimate of a document's number of words; with φ it bounds the weight of a document.",
    )
    spread = param.Selector(
        default=0.0,
        objects={"by ε": 0.0, "1": 1.0, "1.5": 1.5, "3": 3.0, "8": 8.0},
        label="Equalisation φ",
        doc="The allowed inequality of documents. A small φ gives less noise, and a bias against repeated words.",
    )
    third = param.Number(
        0.2,
        bounds=(0.02, 0.8),
        step=0.02,
        label="Budget share of T",
        doc="Part of the budget for the third moment; the rest is for the first two.",
    )
    cut = param.Selector(
        default="E",
        objects=["E", "1", "1-pure", "2", "3", "4"],
        label="Cut in the flow graph",
        doc="The configuration whose noisy edges the graph shows.",
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.own_text: corpora.OwnText | None = None

    @property
    def brought(self) -> corpora.OwnText | None:
        """The user's own documents."""
        return self.own_text

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they contradict each other: more topics than words, or an error without known true topics.
        """
        settings = self.controls.snapshot()
        setup = problems.setup(
            settings,
            data=self.data,
            topics=self.topics,
            documents=self.documents,
            vocabulary=self.vocabulary,
            alpha0=self.alpha0,
            measure=self.measure,
            length=self.length,
            spread=self.spread,
            third=self.third,
            at_sites=self.compare == "schemes",
            text=self.own_text,
        )
        return Plan(
            self.with_noise(settings, setup.problem),
            setup.source,
            setup.problem,
            tuple(CURATOR if self.compare == "configurations" else settings.schemes),
            tuple(setup.cell({"epsilon": epsilon}) for epsilon in EPSILONS),
            setup.here,
            self.cut,
            self._label(setup.here, setup.source),
        )

    def _label(self, here, source):
        text = (
            f"{source.title}: k = {here['k']}, d = {here['vocabulary']}, α₀ = {number_text(here['alpha0'])}"
        )
        if self.compare == "schemes":
            text += f", S = {here['sites']}"
        return f"{text}, δ = {at_most_text(here['delta'])}"


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """The measure, averaged, by method and ε; an interval ends where the measure does."""
    found, measure = summary(rows, plan.axis, "value"), plan.here["measure"]
    most = {"found": plan.here["k"], "overlap": 1, "mass": 1}.get(measure)
    return found.assign(low=found.low.clip(lower=0), high=found.high.clip(upper=most))


def found_on_average(rows: Iterable[dict], plan: Plan) -> dict[str, float]:
    """Topics that each private method finds at the present ε, on average; see `average_here`."""
    return average_here(rows, plan, "found")


def bounds_table(plan: Plan, known: Background) -> dict[str, float]:
    """[Lda] Table 1 at the present settings; from the true moments, so not private."""
    spectrum = known.reference.spectrum
    return topics.utility_bounds(
        documents=known.documents,
        vocabulary=plan.here["vocabulary"],
        k=len(spectrum),
        sigma_1=float(spectrum[0]),
        sigma_k=float(max(spectrum[-1], 1e-12)),
        gamma=max(known.gap, 1e-12),
        privacy=plan.privacy,
    )


def noisy_edges(configuration: str) -> tuple[str, ...]:
    """Edges of the flow graph that a configuration perturbs."""
    if configuration == "E":
        return ("raw", "e6")
    return tuple(edge for edge in configurations.EDGES[configuration] if edge.startswith("e"))
