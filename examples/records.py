"""A site's records from a CSV file of its own, what it agrees to, and what follows from a released average."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core import check, pca
from core.noise import symmetrise
from core.parties import Plan, Site, TooFewSites
from core.privacy import gdp_epsilon
from core.summaries import in_units

_ANEW = "For a new release, which costs privacy again, change `run` in the plan and delete its `id`."
# What a released number is, of a statistic or of one summary.
_WHAT = {
    "mean": "mean of values from {one.lower:g} to {one.upper:g}",
    "proportion": "share of the records that are 1",
    "counts": "share of the records in each of {one.cells} categories",
    "histogram": "share of the records in each of {one.cells} bins from {one.lower:g} to {one.upper:g}",
    "shares": "share of the records in each cell",
}


def read(path: Path) -> np.ndarray:
    """The numbers of a CSV file with one line of names, as rows: between commas, semicolons or tabs.

    Between semicolons and tabs a number may have a decimal comma.

    Raises
    ------
    ValueError
        Naming the line; no error quotes what stands there.
    """
    lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if len(lines) < 2:
        raise ValueError("records must have a line of names and at least one row")
    mark = max(",;\t", key=lines[0].count)
    names, *rows = csv.reader(lines, delimiter=mark)
    if all(_number(cell, mark) is not None for cell in names):
        raise ValueError("the first line of the records must hold names, got numbers")
    found = []
    for line, row in enumerate(rows, start=2):
        numbers = [_number(cell, mark) for cell in row]
        if len(row) != len(names) or None in numbers:
            raise ValueError(f"line {line} of the records must have {len(names)} finite numbers")
        found.append(numbers)
    return np.array(found, dtype=float)


def site(plan: Plan, number: int, path: Path, consent: tuple[str, ...] = ()) -> Site:
    """The site of a plan with the records of a file; it says what it agrees to."""
    made = Site.of(plan, number, read(path), consent=consent)
    print(agreed(made), file=sys.stderr)
    return made


def again(plan: Plan, kept: Path, path: Path) -> Site:
    """The site whose state was kept.

    Raises
    ------
    ValueError
        If the run was begun, or is finished, with other records than those of the file.
    """
    restored = Site.restore(plan, kept.read_bytes())
    if not restored.holds(read(path)):
        ended = "begun" if restored.result is None else "finished"
        raise ValueError(
            f"records must be those of the run that {kept.name} keeps, got others in {path.name}: that run was {ended} "
            f"before, and nothing was sent now. {_ANEW}"
        )
    return restored


def finished(made: Site) -> str:
    """What a run that is finished released then."""
    return f"This run was finished before, and nothing was sent now. It released\n{told(made.plan, made.result)}\n{_ANEW}"


def agreed(made: Site) -> str:
    """What others can learn of this site's records, from the sensitivity that it knows itself."""
    told, target = made.promise, made.plan.sites[made.number].privacy
    delta = None if target is None else target.delta
    who = {"one message": told.message, "the average": told.public, "the aggregator": told.aggregator}
    who |= {f"with {made.plan.colluding} colluding sites": told.colluders} if made.plan.colluding else {}
    if (bare := made.plan.stated().mu_unmasked) is not None:
        who["one message, if the aggregator forges keys"] = bare
    lines = [f"{name}: {_words(mu, delta)}" for name, mu in who.items()]
    summed = made.plan.form == "secure" or made.plan.parts().sum_only
    answers = made.plan.answers(len(made.plan.sites)) if summed else made.plan.least
    return "\n".join(
        [
            f"Site {made.number} takes part under {made.plan.scheme!r} with sensitivity {made.sensitivity:g}.",
            "If all sites join, at most this is learnt of a record of it:",
            *lines,
            f"The plan goes on with {answers} of {len(made.plan.sites)} sites.",
        ]
    )


def told(plan: Plan, average: np.ndarray, std: np.ndarray | float | None = None) -> str:
    """A released average in words, a line for every summary: what each number is, in the unit of its column.

    Parameters
    ----------
    plan : Plan
    average : array
        Of the plan's shape.
    std : array or float, optional
        Standard deviation of its noise, which follows.
    """
    statistic, noise = plan.statistic, None if std is None else np.broadcast_to(std, np.shape(average))
    if statistic.name != "summaries":
        # Any other name is free, and is no pattern.
        what = _WHAT[statistic.name].format(one=statistic) if statistic.name in _WHAT else statistic.name
        return _line(what, average, noise)
    parts = statistic.parts
    noises = [None] * len(parts)
    if noise is not None:
        pieces = np.split(noise, np.cumsum([one.cells for one in parts])[:-1])
        noises = [one.span * piece for one, piece in zip(parts, pieces, strict=True)]
    rows = zip(parts, in_units(average, parts), noises, strict=True)
    return "\n".join(
        _line(f"column {place}, {_WHAT[one.kind].format(one=one)}", *numbers)
        for place, (one, *numbers) in enumerate(rows, start=1)
    )


def components(plan: Plan, released: np.ndarray, k: int) -> np.ndarray:
    """The k principal components, as rows, of a released second moment: about 0, or about the released mean."""
    if plan.statistic.name == "second moment":
        return pca.top_eigenvectors(symmetrise(released), k)[0]
    square, linear = plan.statistic.scales
    width = plan.statistic.width
    moment = symmetrise(released[: width**2].reshape(width, width)) / square
    mean = released[width**2 :] / linear
    return pca.top_eigenvectors(moment - np.outer(mean, mean), k)[0]


def run(main: Callable[[], None]) -> None:
    """Run a program; what goes wrong is one sentence and an exit code."""
    try:
        main()
    except (ValueError, OSError, TooFewSites) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _line(what, values, noise):
    found = str(np.squeeze(values))
    if noise is None:
        return f"{what}: {found}"
    spreads = sorted({f"{one:.4g}" for one in (np.min(noise), np.max(noise))}, key=float)
    return f"{what}: {found} (standard deviation of the noise: {' to '.join(spreads)})"


def _words(mu, delta):
    if math.isinf(mu):
        return "everything, since no noise hides it"
    if not mu:
        return "nothing"
    epsilon = (
        "" if delta is None else f", epsilon {check.upwards(gdp_epsilon(delta, mu), 4)} at delta {delta:g}"
    )
    return f"mu {check.upwards(mu, 4)}{epsilon}"


def _number(cell, mark):
    try:
        number = float(cell.replace(",", ".") if mark != "," else cell)
    except ValueError:
        return None
    # Python reads 1_000 and digits of other scripts, too.
    return number if math.isfinite(number) and "_" not in cell and cell.strip().isascii() else None
