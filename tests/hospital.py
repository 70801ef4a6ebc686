"""A consortium's table of five hospitals, and its analysis by NumPy and SciPy alone."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

SIZES = {"Harbour": 1200, "Hill": 800, "North": 500, "River": 300, "Lake": 200}
RANGES = {
    "age": ("18", "100"),
    "weight": ("40", "160"),
    "systolic": ("80", "220"),
    "crp": ("0", "250"),
    "admitted": ("2023-01-01", "2024-12-31"),
}
WARDS = ("medicine", "surgery", "cardiology")
DELTA, K = 1e-5, 4


def patients():
    """3,000 invented patients: numbers with units, "<5", dates, categories, answers, and cells without a value."""
    rng = np.random.default_rng(11)
    rows = sum(SIZES.values())
    age = np.clip(rng.normal(62, 16, rows), 18, 100).round()
    weight = np.clip(rng.normal(82, 15, rows) - 0.15 * (age - 62), 40, 160).round(1)
    systolic = np.clip(118 + 0.35 * (age - 50) + 0.2 * (weight - 80) + rng.normal(0, 14, rows), 80, 220)
    crp = np.clip(rng.gamma(1.3, 22, rows) + 0.2 * (age - 60), 0.5, 250).round(1)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, rows), unit="D")
    ward, smoker = rng.choice(WARDS, rows, p=[0.5, 0.3, 0.2]), rng.random(rows) < 0.3
    z = -0.6 + 0.045 * (age - 62) + 0.022 * (crp - 30) + 0.8 * (ward == "cardiology") + 0.7 * smoker
    frame = pd.DataFrame(
        {
            "patient": [f"P{i:05d}" for i in range(rows)],
            "hospital": rng.permutation(np.repeat(list(SIZES), list(SIZES.values()))),
            "age": age.astype(int),
            "weight": [f"{v} kg" for v in weight],
            "systolic": systolic.round().astype(int),
            "crp": ["<5" if v < 5 else f"{v}" for v in crp],
            "admitted": day.strftime("%d.%m.%Y"),
            "ward": ward,
            "smoker": np.where(smoker, "yes", "no"),
            "readmitted": np.where(rng.random(rows) < 1 / (1 + np.exp(-z)), "yes", "no"),
        }
    )
    frame.loc[rng.random(rows) < 0.08, "weight"] = None
    frame.loc[rng.random(rows) < 0.04, "smoker"] = None
    return frame


FRAME = patients()


def records():
    """The same records, columns scaled by hand."""
    frame = FRAME[FRAME.smoker.notna()]
    day = pd.to_datetime(frame.admitted, format="%d.%m.%Y")
    since = (day - pd.Timestamp("2023-01-01")).dt.days
    raw = {
        "age": (frame.age, 18, 100),
        "weight": (frame.weight.str.removesuffix(" kg").astype(float), 40, 160),
        "systolic": (frame.systolic, 80, 220),
        "crp": (frame.crp.replace("<5", "5").astype(float), 0, 250),
        "admitted": (since, 0, 730),
    }
    parts = []
    for name, (values, low, high) in raw.items():
        parts.append(((values.fillna((low + high) / 2) - (low + high) / 2) / ((high - low) / 2)).to_numpy())
        if name == "weight":
            parts.append(values.isna().to_numpy(dtype=float))
    parts += [((frame.ward == ward) - 1 / 3).to_numpy() / math.sqrt(2 / 3) for ward in WARDS]
    parts += [np.where(frame[name] == "yes", 1.0, -1.0) for name in ("smoker", "readmitted")]
    return np.column_stack(parts) / math.sqrt(8)


def mu_of(epsilon):
    """The μ at which a Gaussian release is (ε, δ)-private."""

    def excess(mu):
        return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) - DELTA

    return brentq(excess, 1e-4, 50)


def exact(mu):
    """The ε at δ of a μ-Gaussian release."""
    return brentq(lambda epsilon: mu_of(epsilon) - mu, 1e-3, 100)


def symmetric(rng, d, std):
    noise = rng.normal(size=(d, d)) * std
    return (noise + noise.T) / 2


def variance_kept(x, epsilon, rng, share=0.1):
    """One release of mean and second moment together, by NumPy alone."""
    n, d = x.shape
    p = -share / (4 * (1 - share))
    std = math.sqrt((1 - share) * (1 - p * p) + share * (1 - p) / 2) / n / mu_of(epsilon)
    a = x.T @ x / n + symmetric(rng, d, std * math.sqrt(2 / (1 - share)))
    m = x.mean(axis=0) + rng.normal(size=d) * std * 2 / math.sqrt(share)
    v = np.linalg.eigh(a - np.outer(m, m))[1][:, -K:]
    c = np.cov(x.T, bias=True)
    return np.trace(v.T @ c @ v) / np.linalg.eigvalsh(c)[-K:].sum()


def fitted(x, y, epsilon, rng):
    """The functional mechanism with its damped curvature, by NumPy alone."""
    n, d = x.shape
    scales = (1.0, math.sqrt(2) / 8)
    std = 0.0 if epsilon is None else 1.25 / n / mu_of(epsilon)
    linear = x.T @ (0.5 - y) / n + rng.normal(size=d) * std * scales[0]
    square = x.T @ x / 8 / n + symmetric(rng, d, std * scales[1])
    values, vectors = np.linalg.eigh(square)
    kappa = std * math.sqrt(d * (scales[0] ** 2 / 4 / 5.0**2 + scales[1] ** 2 / 2))
    values = np.maximum(values, 1e-3 * kappa)
    values = np.where(values > 0, values + kappa**2 / np.where(values > 0, values, 1), 0)
    slopes = vectors.T @ linear
    return vectors @ np.where(values > 1e-12, -slopes / np.maximum(2 * values, 1e-12), 0)
