"""The axes of a figure in plain words: what is counted, which way is better, and where on the axis a sentence reads."""

from __future__ import annotations

from dashboard.packs.papers.finding_links import HARMLESS, findings_of
from dashboard.plotting.printed_points import symbol
from dashboard.state.html_text import rich
from dashboard.state.number_text import count_text, number_text
from data.published.experiments import AXES, Experiment

_RIGHTWARDS = {
    "epsilon": "less private",
    "delta": "less private",
    "samples": "more records",
    "records": "more records",
    "noise": "more noise on messages",
    "colluding": "more sites collude",
    "alpha0": "documents mix topics more evenly",
    "k": "more topics",
    "size": "a larger disturbance",
    "dimension": "wider data",
}
_UPWARDS = {
    "energy": "better components",
    "error": "what is found lies further from the truth",
    "loss": "worse predictions",
    "train": "more of the known labels are right",
    "test": "more of the new labels are right",
    "failure": "less private: δ is a probability beyond the factor e^ε",
    "perplexity": "words are predicted worse",
    "singular": "a stronger signal of the topics",
    "gap": "topics are easier to tell apart",
    "found": "found more often",
}
_NO_LOSS = "a larger minimum of the noisy objective, which is no loss"
_TARGETS = ("epsilon", "delta")
_PER_CENT = ", %"
_PLACES = {  # Where the axis counts things.
    "samples": ("record a site", "records a site"),
    "records": ("record", "records"),
    "colluding": ("colluding site", "colluding sites"),
    "k": ("topic", "topics"),
}
_BEFORE_SYMBOL = {
    "noise": "message noise ",
    "size": "disturbance ",
    "dimension": "width ",
    "alpha0": "mixing ",
}


def _key(drawn):
    """A sign of the figure before its meaning, as it is drawn."""
    size = "width='26' height='12' viewBox='0 0 26 12'"
    return f"<svg {size} aria-hidden='true' fill='none' stroke='currentColor'>{drawn}</svg> "


_RING = _key("<circle cx='13' cy='6' r='5' stroke-width='1.6'/>")
_LINE = _key("<path d='M1 6h24' stroke-width='3'/><circle cx='13' cy='6' r='3.5' fill='currentColor'/>")
_DASHES = _key("<path d='M1 6h24' stroke-width='2.5' stroke-dasharray='6 3'/>")
_DOTS = _key("<path d='M1 6h24' stroke-width='1.6' stroke-dasharray='2 3'/>")


def across(experiment: Experiment) -> str:
    """The label of the horizontal axis: a privacy target names the observer that it holds against."""
    name = AXES[experiment.axis]
    return f"{name} of one message (the aggregator learns more)" if is_of_one_message(experiment) else name


def is_of_one_message(experiment: Experiment) -> bool:
    """Whether the horizontal axis is a privacy target that holds against whoever sees one message alone."""
    return experiment.axis in _TARGETS and learns_more(experiment)


def learns_more(experiment: Experiment) -> bool:
    """Whether the aggregator learns more than a figure's privacy target allows, in both of its runs."""
    return "several-messages" in {one.key for one in findings_of(experiment)}


def counted(experiment: Experiment, *, published: bool = False) -> str:
    """What the vertical axis counts, in plain words: without the symbol of the paper."""
    return experiment.y_drawn(published=published).split(" (")[0].removesuffix(_PER_CENT)


def written(experiment: Experiment, value: float) -> str:
    """A value of the vertical axis, with its unit."""
    return number_text(float(value)) + (" %" if experiment.y_label.endswith(_PER_CENT) else "")


def legend(
    experiment: Experiment,
    *,
    published: bool,
    rings: bool,
    before: str,
    chance: bool = False,
) -> str:
    """What rings and lines are, and the directions of the axes.

    `before` says what a revised figure is compared with, "" for nothing.
    """
    e = experiment
    up = rich(_NO_LOSS if published and e.y_published else _UPWARDS[e.measure])
    keys = [f"{_RING}printed"] if rings else []
    if before:
        at = f", at the stated {symbol_of(e)}" if is_only_stated(e) else ""
        keys.append(f"{_DASHES}{before}{rich(at)}")
    keys.append(f"{_LINE}computed, {'as published' if published else 'revised'}")
    if chance:
        keys.append(f"{_DOTS}chance: {written(e, e.chance)}")
    listed = "".join(f"<li>{key}</li>" for key in keys)
    return f"<ul class='legend'>{listed}</ul><p>↑ {up}<br>→ {_RIGHTWARDS[e.axis]}</p>"


def place(experiment: Experiment, x: float, *, published: bool) -> str:
    """Where on the axis a sentence reads the figure: "at the stated ε = 1", "with 3 colluding sites"."""
    if experiment.axis in _PLACES:
        return f"with {count_text(round(x), *_PLACES[experiment.axis])}"
    stated = "the stated " if published and is_only_stated(experiment) else ""
    return rich(
        f"at {stated}{_BEFORE_SYMBOL.get(experiment.axis, '')}{symbol_of(experiment)}\u00a0=\u00a0{number_text(x)}"
    )


def symbol_of(experiment: Experiment) -> str:
    """The symbol of the horizontal axis."""
    # All but the size of a disturbance end in one symbol.
    return symbol("size") if experiment.axis == "size" else AXES[experiment.axis].split()[-1]


def is_only_stated(experiment: Experiment) -> bool:
    """Whether a figure's axis is a guarantee that its method, as published, does not give."""
    errors = (one for one in findings_of(experiment) if one.key not in HARMLESS)
    return experiment.axis in _TARGETS and any(one.kind == "overstated" for one in errors)
