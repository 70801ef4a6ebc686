"""A small example table for uploads: invented patients of four hospitals of different size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data.columns import Column, Description

SAMPLE_NAME = "patients.csv"
SITE_COLUMN = "hospital"
# What a physician would name without looking at these patients; a few of them lie outside.
RANGES = {
    "age": (18, 100),
    "height_cm": (140, 205),
    "weight_kg": (40, 160),
    "systolic_mmHg": (80, 220),
    "diastolic_mmHg": (40, 130),
    "cholesterol_mmol": (2, 10),
    "glucose_mmol": (3, 18),
    "heart_rate": (40, 150),
}
# A description to start from, for a table that may not be handed in.
TEMPLATE = """{
 "format": "CAPE Lab table description",
 "version": 1,
 "site_column": "hospital",
 "target": "readmitted",
 "centring": "public",
 "sites": {"Harbour": 1200, "Hill": 800, "North": 500, "River": 300, "Lake": 200},
 "columns": [
  {"name": "hospital", "kind": "category"},
  {"name": "age", "kind": "number", "lower": 18, "upper": 100, "gaps": [999]},
  {"name": "weight", "kind": "number", "unit": "kg", "lower": 40, "upper": 160, "missing": "mark"},
  {"name": "admitted", "kind": "date", "lower": "2023-01-01", "upper": "2024-12-31"},
  {"name": "ward", "kind": "category", "values": ["medicine", "surgery", "other"], "missing": "mark"},
  {"name": "smoker", "kind": "yes/no", "values": ["yes", "no"], "missing": "leave out"},
  {"name": "readmitted", "kind": "yes/no", "values": ["yes", "no"]}
 ]
}
"""
_HOSPITALS = {"Harbour": 1500, "Hill": 900, "North": 400, "River": 200}
_DECIMALS = {"cholesterol_mmol": 1, "glucose_mmol": 1}
# How many standard units of age, stature, metabolism and stress each measure carries.
_LOADINGS = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [-0.2, 0.9, 0.0, 0.0],
        [0.0, 0.5, 0.8, 0.0],
        [0.5, 0.0, 0.5, 0.4],
        [0.2, 0.0, 0.5, 0.5],
        [0.4, 0.0, 0.6, 0.0],
        [0.3, 0.0, 0.7, 0.0],
        [-0.1, 0.0, 0.2, 0.9],
    ]
)
_CENTRE = np.array([58, 171, 79, 134, 80, 5.4, 6.2, 76])
_SPREAD = np.array([16, 10, 16, 19, 11, 1.1, 1.9, 13])


def description() -> Description:
    """The description of that table, whose ranges nobody took from its rows."""
    columns = (Column(name, lower=low, upper=high) for name, (low, high) in RANGES.items())
    return Description((Column(SITE_COLUMN, "category", used=False), *columns), SITE_COLUMN)


def sample_csv(*, rng: np.random.Generator) -> str:
    """3000 rows as CSV: the columns of `RANGES`, and `SITE_COLUMN`."""
    total = sum(_HOSPITALS.values())
    factors = rng.normal(size=(total, _LOADINGS.shape[1]))
    rest = np.sqrt(np.maximum(0.05, 1 - (_LOADINGS**2).sum(axis=1)))
    standard = factors @ _LOADINGS.T + rest * rng.normal(size=(total, len(RANGES)))
    frame = pd.DataFrame(_CENTRE + _SPREAD * standard, columns=list(RANGES))
    for column in frame:
        frame[column] = frame[column].round(_DECIMALS.get(column, 0))
        if column not in _DECIMALS:
            frame[column] = frame[column].astype(int)
    hospitals = np.repeat(list(_HOSPITALS), list(_HOSPITALS.values()))
    frame.insert(0, SITE_COLUMN, rng.permutation(hospitals))
    return frame.to_csv(index=False)
