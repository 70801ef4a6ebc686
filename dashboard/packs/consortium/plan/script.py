"""The program behind a plan, and its rows."""

from __future__ import annotations

import inspect
from collections.abc import Collection

from core.sweep import search
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan.question import AFTER, Question, cells_of, silences_of
from dashboard.problems.components import load
from dashboard.problems.known_silence import stays_within
from dashboard.problems.own_mixture import own_code

_CORE = """from core import decomposition, moments
from core.sweep import search
from core.sweep.targets import Target"""
COLUMNS = ("scheme", "state", "low", "estimate", "high", "runs")


def columns(answers: Collection[search.Answer]) -> dict[str, list]:
    """The answers as `COLUMNS`."""
    return {name: [getattr(answer, name) for answer in answers] for name in COLUMNS}


def script(question: Question, own: Choice | None) -> str:
    """A program that uses `core` and `data` alone and leaves the answers in `columns`."""
    asked = (
        f"The {question.metric.lost} if an attacker may {question.risk_text}"
        if question.measured
        else f"The least {question.free} to {question.sentence}"
    )
    head = f'"""{asked}."""'
    if question.problem is None:
        return f"{head}\n{_exact(question)}"
    return f"{head}\n{_searched(question, own)}"


_END = """
for answer in answers:
    print(f"{answer.scheme:12s} {answer.state:12s} {answer.low:.4g} < {answer.estimate:.4g} <= {answer.high:.4g}")
"""


def _exact(question):
    here = dict(question.here)
    low, high = question.cells[0][0], question.cells[-1][0]
    value, free = "int(x)" if question.counted else "x", "epsilon" if question.measured else question.free
    use = {name: value if name == free else repr(v) for name, v in here.items()}
    body = _known if question.averages else _by_formula
    return f"""import math
{body(question, use)}

low, high = {low!r}, {high!r}
columns = {{name: [] for name in {COLUMNS!r}}}
for scheme in {question.schemes!r}:
    {_solved(question)}
    answer = search.Answer(*row)
    for name in columns:
        columns[name].append(getattr(answer, name))
    print(f"{{scheme:12s}} {{answer.state:12s}} {{answer.high:.4g}}")
"""


def _terms(question):
    """Lines that say what a scheme's noise is planned for, and who is silent in what is stated; and the options."""
    usual = question.settings.terms(dict(question.here)["sites"])
    after = AFTER in question.schemes
    if not question.silent and not after:
        return "", "".join(f", {name}={v!r}" for name, v in usual.items())
    whole = (
        f"""
    if scheme == {AFTER!r}:  # In whole numbers, as sites of their own release it.
        terms["own_noise"] = "sum\""""
        if after
        else ""
    )
    if not question.silent:
        return (
            f"""
    terms = {usual!r}{whole}""",
            ", **terms",
        )
    colluding = question.settings.colluding if usual["against"] == "colluders" else 0
    return (
        f"""
    colluding = min({colluding}, sizes["sites"] - 1)
    lost = min({question.settings.dropouts}, most_dropouts(scheme, sizes["sites"], colluding=colluding))
    terms = {{"against": {usual["against"]!r}, "colluding": colluding, "dropouts": lost, "dropped": lost}}{whole}""",
        ", **terms",
    )


def _by_formula(question, use):
    released, (line, terms) = question.released, _terms(question)
    terms += f", change={released.change!r}" if released.change != 1 else ""
    span = released.first.summary.span
    scaled = f"{span!r} * " if span != 1 else ""
    return f'''
from core import Privacy
from core.schemes import error_of_average{", most_dropouts" if question.silent else ""}
from core.sweep import search


def within(scheme, x):
    """95 % of releases stay within this of the true value."""
    privacy = Privacy({use["epsilon"]}, {use["delta"]})
    sizes = {{"sites": {use["sites"]}, "samples": {use["samples"]}}}{line}
    return {scaled}error_of_average(scheme, **sizes, privacy=privacy{terms})
'''


def _known(question, use):
    """The same where sites whose records are known may fall silent: the error holds how far the others are from all."""
    found = {s: silences_of(question, s) for s in question.schemes if question.knows(s)}
    about = {scheme: (one.noise.tolist(), one.away.tolist()) for scheme, one in found.items()}
    change, span = question.released.change, question.released.first.summary.span
    return f'''
import numpy as np
from scipy.special import ndtr

from core import Privacy
from core.schemes import error_of_average, message_std
from core.sweep import search


{inspect.getsource(stays_within)}

# Of every set of sites that may drop out: the noise where a message of one record needs noise 1, and how far the average of
# those that send is from that of all. Computed from the records: not private.
dropouts = {about!r}


def within(scheme, x):
    """95 % of releases stay within this of the true value, whoever drops out."""
    privacy = Privacy({use["epsilon"]}, {use["delta"]})
    if scheme not in dropouts:  # One site alone: its noise.
        sizes = {{"sites": {use["sites"]}, "samples": {use["samples"]}}}
        return {span!r} * error_of_average(scheme, **sizes, privacy=privacy, change={change!r})
    _, (std,) = message_std(np.array([{change!r}]), privacy)
    noise, away = np.array(dropouts[scheme])
    return {span!r} * float(stays_within(std * noise, away).max())
'''


def _solved(question):
    """Lines that find the answer of one scheme."""
    if question.measured:
        return """x = within(scheme, low)
    row = (scheme, "found", x, x, x)"""
    return f"""x = search.solve(lambda x: within(scheme, x), low, high, {question.level!r}, whole={question.counted})
    if x == low:
        row = (scheme, "at once", math.nan, low, math.nan)
    elif math.isinf(x):
        row = (scheme, "out of reach", high, x, math.nan)
    else:
        row = (scheme, "found", x, x, x)"""


def _searched(question, own):
    moved = next(iter(question.changes.values()))
    settings = {n: v for n, v in question.here if n not in moved}
    target = question.target
    options = "".join(
        f", {name}={getattr(target, name)!r}"
        for name, default in (("at_least", True), ("relative", False), ("chance", None))
        if getattr(target, name) != default
    )
    usual = tuple(s for s in question.schemes if cells_of(question, s) == question.cells)
    fewer = [s for s in question.schemes if s not in usual]
    seeded = f"seed={question.settings.noise_seed}, most={question.most}"
    others = "".join(
        f"""
# More dropouts than its threshold can carry are not planned for.
{_fewer(question, scheme)}
found |= search.search(problem, cells, target, schemes={(scheme,)!r}, {seeded})
found = {{scheme: found[scheme] for scheme in {question.schemes!r}}}
"""
        for scheme in fewer
    )
    return f"""{_problem(question, own)}
settings = {settings!r}
{_cells(question)}
target = Target({target.figure!r}, {target.value!r}{options})
found = search.search(
    problem, cells, target, schemes={usual!r}, {seeded}
)
{others}
answers = list(found.values())
columns = {{name: [getattr(answer, name) for answer in answers] for name in {COLUMNS!r}}}
{_END.lstrip()}"""


def _fewer(question, scheme):
    """The cells of a scheme whose releases are planned for fewer dropouts."""
    return f"cells = {{x: dict(cell) for x, cell in {cells_of(question, scheme)!r}}}"


def _cells(question):
    changes = question.changes
    if all(change == {question.free: x} for x, change in changes.items()):
        values = [change[question.free] for change in changes.values()]
        return f"values = {values!r}\ncells = {{x: settings | {{{question.free!r}: x}} for x in values}}"
    return f"changes = {changes!r}\ncells = {{x: settings | change for x, change in changes.items()}}"


def _problem(question, own):
    return _PROBLEMS[question.kind](question.problem, own)


def _loading(default, own):
    """Lines that define `load`, and the import that must come before all others."""
    if own is None:
        return "", default
    return own.standard, f"{own.imports}\n\n{own.code()}"


def _pca(problem, own):
    paths, load = _loading("from data.catalogue.tables import load", own)
    share = f", share={problem.share!r}" if problem.centre == "mean" else ""
    return f"""{paths}from core import pca
from core.sweep import search
from core.sweep.targets import Target
{load}

problem = pca.Problem(
    load, data_settings={problem.data_settings!r}, measure={problem.measure!r}, centre={problem.centre!r}{share}
)"""


def _regression(problem, own):
    paths, load = _loading("from data.catalogue.labelled import load", own)
    if own is not None:
        found = problem.load
        column = f"response={found.response}, labels={found.labels}, boxed={found.boxed}"
        load = (
            f"from data.catalogue.labelled import LabelledTable\n{load}\nload = LabelledTable(load, {column})"
        )
    return f"""{paths}from core import functional
from core.sweep import search
from core.sweep.targets import Target
{load}

problem = functional.Problem(
    load,
    data_settings={problem.data_settings!r},
    loss={problem.loss!r},
    options={problem.options!r},
    gains={problem.gains!r},
)"""


def _components(problem, own):
    if own is not None:
        code = own_code(problem.load, own, core=_CORE)
        return f"""{code}

problem = decomposition.Problem(load, {problem.model!r}, {problem.options!r}, {problem.data_settings!r})"""
    return f"""import numpy as np

from core import decomposition, moments
from core.sweep import search
from core.sweep.targets import Target
from data import synthetic


{inspect.getsource(load)}

problem = decomposition.Problem(load, {problem.model!r}, {problem.options!r}, {problem.data_settings!r})"""


def _topics(problem, own):
    return f"""from core.sweep import search
from core.sweep.targets import Target
from core.topics.problem import Problem
from data.catalogue import corpora

problem = Problem(corpora.load, {problem.data_settings!r})"""


_PROBLEMS = {"pca": _pca, "regression": _regression, "components": _components, "topics": _topics}
