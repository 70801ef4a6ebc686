"""Texts of the Plan page: the answers, the risk for one record, and the limits of a plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from core import Privacy, check
from core.privacy import gdp_epsilon, group_mu
from core.schemes import named
from core.sweep import search
from dashboard.guarantee import observer
from dashboard.guarantee.guarantee import alone, views
from dashboard.packs.consortium.plan.question import FREE, Question, errors
from dashboard.packs.consortium.plan.reference import Reference
from dashboard.problems.setup import fewer_text
from dashboard.state.html_text import plain, rest
from dashboard.state.number_text import (
    at_most_text,
    count_text,
    equals,
    number_text,
)
from dashboard.theme.scheme_style import label, planned_order

BEGUN = "Computing: the first answers come in seconds."
GOING = "Computing: the rows show what is known so far."

# The mean of the records alone may meet a target relative to zero, which then says nothing about differences.
_ORIGIN = {
    "energy": "<b>Energy is not variance:</b> records are not centred, so their mean counts as a component. For "
    "measurements that are all positive it is often by far the largest. One component may hold most of the energy, while "
    "the others are noise. If differences between records matter, allow a far smaller loss, and look at each "
    "component on Compare, PCA.",
    "excess": "<b>This is not R²:</b> the reference is w = 0, which predicts the middle of the stated "
    "range, or even odds for labels. It is not the mean. If the mean lies far from the middle, it is most of "
    "what can be predicted, and the target is met without any feature. State a range whose middle is a typical value, "
    "or allow far less loss.",
}


def value_text(question: Question, value: float, *, down: bool = False) -> str:
    """A value of what is sought, rounded up; `down`: the lower end of an interval, which is rounded down."""
    if question.measured:
        return question.metric.loss_text(value)
    if question.counted:
        # The grid of the search limits the number of digits.
        grain = 10 ** max(0, math.floor(math.log10(value)) - 1) if question.problem is not None else 1
        return number_text(grain * _whole(value / grain, down))
    return number_text(value, digits=_digits(question), way="down" if down else "up")


def _digits(question):
    """How many an ε has: fewer of an interval, so that the written one holds the found one."""
    return 3 if question.problem is None else 2


def _whole(value, down):
    return math.floor(value + 1e-9) if down else math.ceil(value - 1e-9)


def _outward(value, *, down):
    """An end of an interval with two digits, so that the written interval holds the one that was found."""
    return check.directed(value, 2, up=not down, slack=1e-9)


def estimate_text(question: Question, answer: search.Answer) -> str:
    """The estimate of an answer, with the fewest digits that keep it inside its interval; where no whole number lies
    between the last miss and the first success it is the latter."""
    if answer.low == answer.high or question.measured:
        return value_text(question, answer.estimate)
    value, digits = _inside(question, answer)
    return value_text(question, answer.high) if value is None else number_text(value, digits=digits)


def _inside(question, answer):
    """The estimate of an interval as it is written, and in how many digits; None where no such number is inside."""
    low, high = _outward(answer.low, down=True), _outward(answer.high, down=False)  # As they are written.
    for digits in (2, 3, 4):
        value = float(f"{answer.estimate:.{digits}g}")
        value = round(value) if question.counted else value
        if low < value < high:
            return value, digits
    return None, 0


def short(question: Question, answer: search.Answer) -> str:
    """Short text of an answer, for the figure."""
    first, last = (value_text(question, question.cells[i][0]) for i in (0, -1))
    low = "" if math.isnan(answer.low) else value_text(question, answer.low, down=True)
    high = value_text(question, answer.high) if math.isfinite(answer.high) else ""
    if answer.state == "found":
        if answer.low == answer.high:
            return value_text(question, answer.estimate)
        return f"{estimate_text(question, answer)} ({_between(question, answer)})"
    if answer.state == "at once":
        return f"{first} is enough"
    if answer.state == "out of reach":
        return f"not reachable up to {last}"
    if low and high:
        return f"{low} to {high} …"
    if answer.state == "running":
        return "…"
    return (
        f"more than {low}; {last} too close to decide"
        if low
        else f"at most {high}"
        if high
        else "too close to decide"
    )


def _between(question, answer):
    """The interval of a found answer, the lower end first; what is kept more is lost less."""
    low, high = (value_text(question, x, down=x == answer.low) for x in (answer.low, answer.high))
    return f"{high} to {low}" if question.measured and question.metric.kept else f"{low} to {high}"


def nothing_known(answers: dict[str, search.Answer]) -> bool:
    """Whether a search has only begun: no scheme is known to miss or to meet the target anywhere."""
    return all(
        answer.state == "running" and math.isnan(answer.low) and math.isinf(answer.high)
        for answer in answers.values()
    )


def words(
    question: Question,
    answers: dict[str, search.Answer],
    plain_score: float | None,
    reference: Reference | None = None,
) -> str:
    """What the picture does not say of the answers: their intervals, and what limits them."""
    if not answers:
        return ""
    # Elsewhere the cap is this page's own.
    limited = question.kind in ("pca", "regression") and not question.counted
    fewer = fewer_text(dict(question.here).get("samples"), question.settings.samples) if limited else ""
    behind = reference.words if reference is not None else ""
    impossible = _impossible(question, plain_score)
    # The question, the estimates and for whom ε holds stand above the picture.
    beside = _beside(question, answers)
    gaps = plain(question.released.gaps) if question.released is not None else ""
    return rest(
        gaps, _spread(question, answers), beside, behind, fewer, impossible, _fallen(question, answers)
    )


def _interval(question, answer):
    """The interval of a scheme's answer, after its name."""
    first, last = (value_text(question, question.cells[i][0]) for i in (0, -1))
    if answer.state == "found":
        said = _between(question, answer)
    elif answer.state in ("at once", "out of reach"):
        said = f"at most {first}" if answer.state == "at once" else f"above {last}"
    else:
        said = short(question, answer)
    return f"{label(answer.scheme)} {said}{', so far' if answer.state == 'running' else ''}"


def _impossible(question, score):
    if score is None or question.target.margins([score])[0] >= 0:
        return ""
    metric = question.metric
    return (
        f"<b>Even without any noise the {metric.title} is {metric.text(score)}</b> at best here: the records "
        "do not allow more."
    )


def _fallen(question, answers):
    fallen = [a for a in answers.values() if not math.isnan(a.earlier)]
    if not fallen:
        return ""
    name = FREE[question.free][1]
    said = ", ".join(f"{label(a.scheme)} at {equals(name, value_text(question, a.earlier))}" for a in fallen)
    return (
        f"The target was also met earlier but then missed again ({said}), so the result is not monotone here. "
        "We report the last crossing."
    )


def _beside(question, answers):
    """The errors of what is released together with the summary that was asked of."""
    scheme = best(question, answers)
    if scheme is None or question.released is None or len(question.released.parts) < 2:
        return ""
    answer, parts = answers[scheme], question.released.parts
    found = errors(question, scheme, question.settings.epsilon if question.measured else answer.high)
    said = []
    for part, error in list(zip(parts, found, strict=True))[1:]:
        # Of a share it is a number, as the allowed error is: per cents of a share would be relative.
        size = " ".join(filter(None, (at_most_text(error), part.unit if part.summary.kind == "mean" else "")))
        each = "each category's share in " if part.summary.kind == "counts" else ""
        said.append(f"{each}{plain(part.words)} within {size}")
    return (
        f"{count_text(len(parts), 'column')} are one release of one ε: n times the statistics of a site, each scaled to "
        f"its range, change by at most {at_most_text(question.released.change)} together. With {label(scheme)}, each of "
        f"these in 95 % of releases: {'; '.join(said)}."
    )


def _spread(question, answers):
    if question.problem is None:
        return ""  # It is exact.
    said = (answers[s] for s in planned_order() if s in answers and short(question, answers[s]) != "…")
    found = "; ".join(_interval(question, answer) for answer in said)
    sought = f"the {question.metric.lost}" if question.measured else FREE[question.free][1]
    return found and f"95 % intervals of {sought} over the noise: {found}."


def at(question: Question, answer: search.Answer, epsilon: float) -> search.Answer:
    """The answer, at this ε if ε is what is sought."""
    return (
        replace(answer, state="found", estimate=epsilon, high=epsilon)
        if question.free == "epsilon"
        else answer
    )


def at_written(question: Question, answer: search.Answer) -> search.Answer:
    """The answer at the ε that the bold sentence and the picture write: rounded up, or an estimate in few digits."""
    if answer.state != "found" or question.free != "epsilon":
        return answer
    value = None if answer.low == answer.high else _inside(question, answer)[0]
    if value is None:
        value = check.directed(answer.high, _digits(question), up=True, slack=1e-9)
    return at(question, answer, value)


def promised(question: Question, answer: search.Answer) -> float:
    """The ε that a release may promise: the given one, or one shown to be enough, rounded up to the digits written."""
    epsilon = question.epsilon(answer)
    return check.directed(epsilon, 3, up=True, slack=1e-9) if question.free == "epsilon" else epsilon


def at_promise(question: Question, answer: search.Answer) -> search.Answer:
    """The answer at the ε that is promised: all that is said of a release is of this one."""
    return at(question, answer, promised(question, answer))


def epsilon_text(question: Question, answer: search.Answer) -> str:
    """ "ε = …", as it is promised."""
    return equals("ε", at_most_text(promised(question, answer)))


def one_epsilon(
    question: Question, answers: Mapping[str, search.Answer], colluding: int, *, again: bool = True
) -> str:
    """Which ε to promise of the release that is planned, how sure it is, and what those learn who see more.

    The page, the report and the file for the sites have this ε. Not `again`: where an answer by formula has said it, what
    others learn alone.
    """
    scheme = best(question, dict(answers))
    if scheme is None:
        return ""
    answer = answers[scheme]
    of = " for one record" if question.per_person > 1 else ""
    said = [f"Promise {epsilon_text(question, answer)}{of} with {label(scheme)}: {_why(question)}."]
    if not again and question.problem is None and question.free == "epsilon" and not of:
        said = []
    if question.free == "epsilon" and answer.state == "found" and answer.low < answer.high:
        said.append(f"The estimate is {estimate_text(question, answer)} ({_between(question, answer)}).")
    promise = at_promise(question, answer)
    held, (public, aggregator, together) = (
        watched(question, promise, colluding),
        mus(question, promise, colluding),
    )
    more = [("Whoever sees all messages", aggregator)]
    more += [(f"With {count_text(colluding, 'colluding site')}", together)] if colluding else []
    more = [(who, mu) for who, mu in more if held * (1 + 1e-9) < mu < math.inf]
    if question.per_person > 1:
        # Under a curator ε is of the result alone.
        one = public if math.isinf(held) else held
        more.append((f"For a person with {question.per_person} records", group_mu(one, question.per_person)))
    said += [f"{who}: {equals('ε', gdp_epsilon(question.settings.delta, mu))}." for who, mu in more]
    if (most := question.most_silent(answer)) is not None:
        said.append(f"At most {count_text(most, 'site')} may drop out.")
    return " ".join(said)


def _why(question):
    if question.free != "epsilon":
        return "the risk fixes it" if question.measured else "it was given"
    return "enough by the formula" if question.problem is None else "shown to be enough"


def cautions(question: Question, answers: dict[str, search.Answer], *, general: bool = True) -> str:
    """The limits of a plan, as an HTML list; with `general` those that every plan has, too."""
    runs = sum(a.runs for a in answers.values())
    points = []
    if question.uncovered:
        points.append(
            f"<b>All of this treats {question.uncovered} as public</b>, but they were computed from the records. For "
            "private records choose them without reading the records."
        )
    if origin := _ORIGIN.get(question.metric.figure):
        points.append(origin)
    if question.problem is not None and runs:
        points.append(
            f"<b>The runs read the records.</b> Each of the {number_text(runs)} runs compared a noisy answer with "
            "the one without noise. On private records this would itself cost privacy: plan on public or synthetic "
            "records that resemble yours."
        )
        points.append(
            "The intervals are over the noise, for these records. Other records, even of the same kind, may need more. "
            f"{'An interval misses its mean' if question.measured else 'A search is wrong'} with probability 5 % at most"
            + (
                ", for every distribution of the figure, because it counts nine of ten."
                if question.chance
                else " if the mean of so many runs is nearly normal. It misses failures that are too rare for a few "
                f"runs.{'' if question.measured else ' If some releases may fail badly, choose “in 9 of 10”.'}"
            )
        )
    if general:
        points.append(
            "δ is not a separate probability of a leak: ε and δ together determine the noise, "
            "and the noise determines the risk. "
            "A smaller δ at the same ε means more noise and less risk."
        )
        points.append(
            f"{_held(question.settings)} Every further release on the same records adds to the risk."
        )
    listed = "".join(f"<li>{point}</li>" for point in points)
    return f"<p><b>Before you rely on it</b></p><ul>{listed}</ul>" if listed else ""


def _held(settings):
    whom = observer.name(settings.adversary, settings.colluding)
    if settings.adversary == "aggregator":
        return (
            f"The privacy target holds against {whom}. Colluding sites learn more; the table includes this."
        )
    if settings.adversary == "colluders":
        return f"The privacy target holds against {whom}."
    return (
        "The privacy target holds for the result and for each message, seen alone. Under CAPE both together tell as "
        "much as the aggregator learns, and colluding sites learn more still; the table includes this."
    )


def nothing_to_weigh(answers: dict[str, search.Answer]) -> str:
    """Why no release is assessed: a scheme that is still searched, or too close to decide, has not failed."""
    if nothing_known(answers):
        return BEGUN
    states = {answer.state for answer in answers.values()}
    if "running" in states:
        return "The search has not decided yet which release is planned."
    if "open" in states:
        return "No scheme is shown to reach the target: some are too close to decide. More runs at a point may decide."
    return "Nothing is released here: no scheme reaches the target."


def searching(question: Question, answers: dict[str, search.Answer]) -> bool:
    """Whether the end of a search may still change what is planned."""
    return best(question, answers) is None and any(a.state == "running" for a in answers.values())


def best(question: Question, answers: dict[str, search.Answer]) -> str | None:
    """The scheme whose risk is shown in full: the first that meets the target, in the order of `Question.order`.

    None while one that comes before it is still searched: what is known of it so far is no plan.
    """
    for scheme in (s for s in question.order(answers) if s in answers):
        if answers[scheme].state == "running":
            return None
        if question.epsilon(answers[scheme]) is not None:
            return scheme
    return None


def mus(question: Question, answer: search.Answer, colluding: int) -> tuple[float, float, float]:
    """μ of the release that an answer plans, for the public, the aggregator, and colluding sites too."""
    sites = question.sites(answer)
    privacy = Privacy(question.epsilon(answer), question.settings.delta)
    colluding = min(colluding, sites - 1)
    law = {"sites": sites, "calibration": "exact", "terms": question.terms(answer)}
    return views(answer.scheme, privacy, colluding=colluding, **law)


def watched(question: Question, answer: search.Answer, colluding: int) -> float:
    """μ of the release that an answer plans, for the observer against whom its ε holds."""
    public, aggregator, together = mus(question, answer, colluding)
    # A curator is sent no message, but the records.
    curator = named(answer.scheme).curator and question.settings.adversary == "message"
    if named(answer.scheme).one_site or curator:
        return public
    if question.settings.adversary != "message":
        return aggregator if question.settings.adversary == "aggregator" else together
    privacy = Privacy(question.epsilon(answer), question.settings.delta)
    law = {"sites": question.sites(answer), "calibration": "exact", "terms": question.terms(answer)}
    return alone(answer.scheme, privacy, earlier=question.earlier(answer), **law)
