"""A user's own table as a mixture of Gaussians, compared with its components without noise."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np

from core import decomposition, moments
from dashboard.own_table.description import Choice
from data.catalogue.tables import OwnTable

CORE = "from core import decomposition, moments, sweep"


@dataclass(frozen=True)
class OwnMixture:
    """Calls a table's records points around unknown centres; settings name "k" and what the table asks for.

    Attributes
    ----------
    table : OwnTable
    variance : float or None
        σ² of a coordinate within its cluster, public; None takes it from the records, which is not private.
    """

    table: OwnTable
    variance: float | None

    def __call__(self, settings):
        """The moments of every site; components and weights as they are found without noise, for nobody knows better."""
        parts, _ = self.table(settings)
        k, variance = settings["k"], self.variance
        if variance is None:
            variance = moments.estimate_variance(parts, k)
        sites = [moments.gaussian_mixture(part, variance) for part in parts]
        plain = {"scheme": "nonprivate", "privacy": None, "rng": np.random.default_rng(0)}
        try:
            found = decomposition.fit(sites, k, model="gaussians", **plain)
        except ValueError as error:
            raise ValueError(
                f"these records do not show {k} components, even without noise ({error}); choose a smaller k or σ"
            ) from None
        return sites, found.components, found.weights


def own_code(mixture: OwnMixture, choice: Choice, *, core: str = CORE) -> str:
    """Lines of Python that leave the same in `load`; what they import, of `core` these lines, stands before them."""
    path = "from pathlib import Path\n" if choice.file else ""
    return f"""from dataclasses import dataclass
{path}
import numpy as np

{core}
from data.catalogue.tables import OwnTable
{choice.imports}


{inspect.getsource(OwnMixture)}

{choice.code()}
load = OwnMixture(load, {mixture.variance!r})"""
