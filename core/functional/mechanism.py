"""The functional mechanism: release a loss as a noisy polynomial, then minimise it. [Cape] section 4.

Each site averages the coefficients of its records' losses (`core.functional.losses`); a scheme perturbs and averages
them; the minimiser is post-processing. Records are rows, and an intercept is a feature that must fit inside
‖x‖ ≤ 1: see `with_intercept`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core import check
from core.functional import objective
from core.functional.losses import LOSSES, Loss, named
from core.functional.quadratic import (
    Quadratic,
    Repair,
    average,
    minimiser,
    pack,
    repaired,
    triangle,
    unpack,
)
from core.noise import laplace
from core.privacy import Form, Privacy, laplace_scale
from core.schemes import SCHEMES, Held, Names, Release, is_private, release

MECHANISMS = Names(lambda: (*SCHEMES, "dpfm", "objpert"))

PUBLISHED = {"form": "published", "repair": "none", "calibration": "published", "evaluations": 3000}
"""The conventions of [Cape] section 5.2 as options of `fit`; their optimiser ended at so many evaluations."""


@dataclass(frozen=True)
class Moments:
    """Coefficients that the sites compute once, independent of ε.

    Attributes
    ----------
    loss : Loss
    sites : tuple of S Quadratic
        Average coefficients of every site's records.
    samples : ndarray of shape (S,)
        n_s.
    features : ndarray of shape (N, d)
        All records, for objective perturbation (one curator) and to judge an answer; the other mechanisms
        do not look at them.
    target : ndarray of shape (N,)
    """

    loss: Loss
    sites: tuple[Quadratic, ...]
    samples: np.ndarray
    features: np.ndarray = field(repr=False)
    target: np.ndarray = field(repr=False)

    @cached_property
    def exact(self) -> Held:
        """What the sites release, without Λ0: its scales are the loss's sensitivities. Checked for release once."""
        return _packed(self.sites, np.array([0.0, *self.loss.sensitivities[1:]]))

    @cached_property
    def pooled(self) -> Quadratic:
        """Average coefficients of all records."""
        return average(self.sites, self.samples / self.samples.sum())

    @check.arguments(w=check.vector)
    def empirical(self, w) -> float:
        """The true average loss of all records at w: a diagnostic, not private."""
        return self.loss.empirical(self.features, self.target, np.asarray(w, dtype=float))


@dataclass(frozen=True)
class Regression:
    """A fitted model.

    Attributes
    ----------
    coefficients : ndarray of shape (d,)
        ŵ.
    mechanism : str
        One of `MECHANISMS`.
    released : Quadratic or None
        The noisy polynomial that ŵ minimises, before any repair; None for "objpert". Its constant is 0 where
        Λ0 is not released.
    linear_std, square_std : float
        Standard deviation of the noise on Λ1 and on the off-diagonal of Λ2 (its diagonal has √2 times that).
    lifted : int
        Eigenvalues of the noisy Λ2 that were not positive: directions in which the polynomial has no minimum.
    release : Release or None
        The release behind it, with its exact guarantee. For form="published" that is weaker than the privacy target.
    epsilon : float or None
        The pure ε of "dpfm" and "objpert".
    """

    coefficients: np.ndarray
    mechanism: str
    released: Quadratic | None
    linear_std: float = 0.0
    square_std: float = 0.0
    lifted: int = 0
    release: Release | None = field(default=None, repr=False)
    epsilon: float | None = None


@check.arguments
def moments(sites: Sequence, *, loss: str | Loss) -> Moments:
    """Average loss coefficients of every site.

    Parameters
    ----------
    sites : sequence of S pairs (X of shape (n_s, d), y of shape (n_s,))
        Records with ‖x‖ ≤ 1 and responses within the loss's range.
    loss : {"linear", "logistic"} or Loss

    Raises
    ------
    ValueError
        Naming site and record: an empty site, widths or lengths that differ, entries that are not finite,
        ‖x‖ > 1, responses out of range or labels that are not binary.
    """
    loss = named(loss)
    pairs = [_records(site, s, loss) for s, site in enumerate(sites)]
    if not pairs:
        raise ValueError("sites must be at least one, got none")
    if len({x.shape[1] for x, _ in pairs}) > 1:
        raise ValueError(f"sites must have records of one width, got {[x.shape[1] for x, _ in pairs]}")
    features, target = (np.concatenate(part) for part in zip(*pairs, strict=True))
    samples = np.array([len(y) for _, y in pairs])
    return Moments(loss, tuple(loss.coefficients(x, y) for x, y in pairs), samples, features, target)


@check.arguments(norm=check.sized, box=check.sized)
def fit(
    sites: Sequence | Moments,
    *,
    loss: str | Loss = "linear",
    mechanism: str,
    privacy: Privacy | None,
    rng: np.random.Generator,
    form: Form = "exact",
    repair: Repair = "shrink",
    box: float = 1.0,
    norm: float = 1.0,
    share: float = 0.1,
    evaluations: int | None = None,
    **options,
) -> Regression:
    """Regression on records at several sites under a mechanism.

    Parameters
    ----------
    sites : sequence of S pairs (X, y), or Moments
        See `moments`; with Moments, `loss` is theirs.
    mechanism : str
        A scheme ("pooled" is the improved functional mechanism of [Cape], "cape" is capeFM); "dpfm": one
        curator, Laplace noise (Zhang et al. 2012); "objpert": one curator, objective perturbation
        (Chaudhuri et al. 2011). These two are pure ε-private and ignore δ.
    form : {"exact", "published"}
        "exact": all coefficients are one release, with their joint sensitivity, 1.25/n_s after division by
        their own. "published": each of Λ0, Λ1, Λ2 is given the whole (ε, δ), so the whole release has
        μ 1.5 (linear) or 1.25 (logistic) times too large; `Regression.release` says what is true. For "dpfm"
        and "objpert" the published constants, which are valid but loose.
    repair : {"shrink", "project", "none"}
        What to do about Λ2 + noise, which need not be positive. "shrink": see `repaired`. "project": negative
        eigenvalues become 0. "none": minimise over the box as it is, published.
    box : float
        ŵ lies in [−box, box]^d, a public bound.
    norm : float
        Public guess of ‖w‖, for "shrink".
    share : float
        For "objpert", see `core.functional.objective.perturbed`.
    evaluations : int, optional
        Stop minimising after so many evaluations of the polynomial, d + 1 a gradient, as the authors'
        optimiser did (published): at d = 50 that is before the minimum. Default: go on to the minimum.
    **options
        Passed to `core.schemes.release`: calibration, against, colluding, zero_sum, keep.

    Raises
    ------
    ValueError
        For unknown options, a missing privacy target, and for all errors of `moments` and `release`.
    """
    check.choice("mechanism", mechanism, MECHANISMS)
    box, norm = check.positive("box", box), check.positive("norm", norm)
    found = sites if isinstance(sites, Moments) else moments(sites, loss=loss)
    if mechanism == "objpert":
        return _objective(found, privacy, form, box, rng, share)
    if mechanism == "dpfm":
        (released, stds), result = _laplace(found, privacy, form, rng), None
    else:
        released, stds, result = _release(found, mechanism, privacy, form, rng, options)
    values = np.linalg.eigvalsh(released.square)
    convex = repaired(released, *stds, repair=repair, norm=norm)
    return Regression(
        coefficients=minimiser(convex, box=box, evaluations=evaluations),
        mechanism=mechanism,
        released=released,
        linear_std=stds[0],
        square_std=stds[1],
        lifted=int((values <= 0).sum()) if stds[1] > 0 else 0,
        release=result,
        epsilon=privacy.epsilon if privacy and mechanism == "dpfm" else None,
    )


@check.arguments(features=check.matrix)
def with_intercept(features: np.ndarray) -> np.ndarray:
    """(x, 1)/√2: one more feature for an intercept, with ‖x‖ ≤ 1 kept.

    Examples
    --------
    >>> with_intercept(np.array([[1.0], [0.0]])).round(3).tolist()
    [[0.707, 0.707], [0.0, 0.707]]
    """
    features = np.asarray(features, dtype=float)
    return np.column_stack([features, np.ones(len(features))]) / math.sqrt(2)


def _packed(sites, scales):
    """Every site's coefficients in a row, in units of these scales."""
    return Held(np.stack([pack(q, scales) for q in sites]))


def _release(found, mechanism, privacy, form, rng, options):
    """The noisy average polynomial, the noise of its parts, and the release behind it."""
    loss, total = found.loss, found.samples.sum()
    scales = np.array(loss.sensitivities)
    if form == "exact":
        scales[0] = 0.0
    elif loss.joint_all is None:
        raise ValueError(f"form 'published' is not defined for loss {loss.name!r}")
    statistics = found.exact if form == "exact" else _packed(found.sites, scales)
    options = {"keep": "value", **options}
    true = loss.jointly(len(found.pooled.linear), constant=form == "published")
    result = release(
        statistics,
        true / found.samples,
        privacy,
        # As published, each coefficient gets the whole privacy target: noise as if the joint sensitivity were 1.
        assumed=(true if form == "exact" else 1.0) / found.samples,
        scheme=mechanism,
        rng=rng,
        weights=found.samples / total,
        **options,
    )
    released = unpack(result.value, found.pooled, scales)
    if scales[0] == 0 and is_private(mechanism):
        # Λ0 got no noise, for no minimiser needs it: it is not released.
        released = dataclasses.replace(released, constant=0.0)
    return released, (result.std * scales[1], result.std * scales[2] / math.sqrt(2)), result


def _laplace(found, privacy, form, rng):
    """One curator adds Laplace noise to the coefficient of every monomial; without λ0 unless published."""
    privacy = _one_target(privacy, "dpfm")
    pooled, d = found.pooled, len(found.pooled.linear)
    b = laplace_scale(found.loss.l1(d, form=form) / found.samples.sum(), privacy.epsilon)
    linear = pooled.linear + laplace(d, b, rng=rng)
    rows, columns, _ = triangle(d)
    draws = laplace(len(rows), b, rng=rng)
    if form == "exact":
        # The monomial w_i w_j has the coefficient 2 Λ2_ij.
        draws = np.where(rows == columns, draws, draws / 2)
    noise = np.empty((d, d))
    noise[rows, columns] = noise[columns, rows] = draws
    square_std = math.sqrt(2) * b * (0.5 if form == "exact" else 1.0)
    released_too = form == "published" and found.loss.sensitivities[0] > 0
    constant = pooled.constant + float(laplace((), b, rng=rng)) if released_too else 0.0
    return Quadratic(constant, linear, pooled.square + noise), (math.sqrt(2) * b, square_std)


def _objective(found, privacy, form, box, rng, share):
    privacy = _one_target(privacy, "objpert")
    if LOSSES.get(found.loss.name) is not found.loss:
        raise ValueError(
            f"mechanism 'objpert' needs the loss 'linear' or 'logistic', got {found.loss.name!r}"
        )
    answer = objective.perturbed(
        found.features,
        found.target,
        loss=found.loss.name,
        epsilon=privacy.epsilon,
        form=form,
        share=share,
        rng=rng,
    )
    # Shortened, not clipped by coordinate: on separable labels only the direction means something.
    w = answer.coefficients * min(1.0, box / max(float(np.abs(answer.coefficients).max()), box))
    return Regression(w, "objpert", None, epsilon=privacy.epsilon)


def _one_target(privacy, mechanism):
    if not isinstance(privacy, Privacy):
        raise ValueError(f"privacy must be a Privacy for mechanism {mechanism!r}, got {privacy!r}")
    return privacy


def _records(site, s, loss):
    if not (isinstance(site, tuple | list) and len(site) == 2):
        raise ValueError(f"sites must hold pairs (X, y), got {type(site).__name__} at site {s}")
    x = check.numeric(f"records of site {s}", site[0]).astype(float, copy=False)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"records of site {s} must be a table with at least one row, got shape {x.shape}")
    check.finite(f"records of site {s}", x)
    if np.shape(site[1]) != (len(x),):
        raise ValueError(f"target of site {s} must be {len(x)} numbers, got shape {np.shape(site[1])}")
    norms = np.sqrt(np.einsum("nd,nd->n", x, x))
    if (worst := norms.max()) > 1 + 1e-9:
        raise ValueError(
            f"records of site {s} must have norm at most 1, got {worst:.6g} in record {norms.argmax()}; "
            "clip them to the public bound first"
        )
    return x, loss.check(site[1], s)
