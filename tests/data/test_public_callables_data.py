"""Every public function of `data` meets hostile values with an answer or an error that names the parameter."""

from __future__ import annotations

import hostile
import numpy as np
import pandas as pd
import pytest

import data
from data import bounds, cache, published, real, sites, text
from data.catalogue import corpora, labelled, notes, tables
from data.columns import Column, Description, encode, invented, likely_site, survey
from data.published import experiments
from data.synthetic import documents, gaussian, learning, plane, scalars
from data.synthetic import tensors as tensor_data
from data.text.docstrings import installed, package_of
from data.text.documents import Documents, packed
from data.upload import Table, own_table

DRAW = np.random.default_rng(3)
RECORDS = DRAW.standard_normal((12, 3))
TABLE = Table("'t.csv'", pd.DataFrame(RECORDS, columns=["a", "b", "c"]))
OWN = own_table.described_table(TABLE, Description(tuple(map(Column, "abc")), length=3.0))
TEXTS = ["alpha beta gamma delta"] * 6
NEWS = Documents(tuple(TEXTS), tuple("abcdef"), "here", "one text")
SETTINGS = {"data": "linear", "sites": 2, "samples": 5, "data_seed": 0, "dimension": 3, "noise": 0.1}
CLASSES = SETTINGS | {"data": "classes"}
DOCUMENTS = {"data": "synthetic", "documents": 20, "vocabulary": 12, "topics": 2, "true_alpha0": 1.0}
DOCUMENTS |= {"sites": 2, "data_seed": 0}
DESCRIBED = Description((Column("a", lower=-3, upper=3),), sites=(("x", 4), ("y", 5)))
COMPONENTS = tensor_data.tensor_components(2, dimension=4, rng=np.random.default_rng(0))
DOWNLOADED = {"title": "t", "address": "a", "fetch": lambda folder: {}, "download": False}

NAMED = {
    "records": RECORDS,
    "rng": np.random.default_rng(0),
    "sites": 2,
    "table": TABLE,
    "columns": ["a", "b"],
    "settings": SETTINGS,
    "bound": 2.0,
    "samples": 20,
    "dimension": 4,
    "components": 2,
    "topics": 2,
}
EXAMPLES = {
    bounds.to_unit_box: {"lower": -3.0, "upper": 3.0},
    bounds.to_interval: {"values": RECORDS[:, 0], "lower": -3.0, "upper": 3.0},
    cache.kept: {"name": "none"},
    cache.read: {"name": "none"},
    cache.write: {"name": "some", "arrays": {"x": np.ones(2)}},
    corpora.load: {"settings": DOCUMENTS},
    corpora.dealt: {"corpus": text.corpus(TEXTS), "settings": DOCUMENTS},
    corpora.OwnText: {"documents": NEWS},
    notes.corpus: {"size": 20},
    corpora.labelled: {"settings": {"data": "docstrings", "vocabulary": 10}},
    labelled.load_classes: {"settings": CLASSES},
    labelled.LabelledTable: {"table": OWN, "response": 0},
    Column: {"name": "a"},
    Description: {"columns": (Column("a"), Column("b"))},
    encode: {"frame": TABLE.frame, "description": DESCRIBED},
    invented: {"description": DESCRIBED},
    survey: {"frame": TABLE.frame},
    likely_site: {"facts": survey(TABLE.frame)},
    published.load: {"figure": published.figures()[0]},
    experiments.load: {"name": experiments.names()[0]},
    real.load: {"name": "digits", "samples": 5, "rng": np.random.default_rng(0)},
    sites.split: {},
    sites.site_sizes: {"total": 12},
    sites.group: {"labels": ["x", "y"] * 6},
    documents.single_topic: {"samples": 20, "dimension": 4, "components": 2},
    documents.lda: {"samples": 20, "dimension": 6, "topics": 2},
    gaussian.low_rank: {"samples": 20, "dimension": 4, "rank": 2, "population": 30},
    gaussian.mixture_of_gaussians: {"samples": 20, "dimension": 4, "components": 2},
    learning.regression: {"samples": 20, "dimension": 3},
    learning.two_classes: {"samples": 20, "dimension": 3},
    plane.plane_classes: {"samples": 20},
    scalars.bounded: {"samples": 5},
    tensor_data.tensor_components: {"components": 2, "dimension": 4},
    tensor_data.skewed_stream: {"truth": COMPONENTS, "batch": 3},
    tables.samples_at: {"source": tables.LOW_RANK, "samples": 5},
    tables.load: {"settings": SETTINGS | {"data": "digits", "published": False}},
    tables.dealt: {},
    tables.examples: {"name": "digits"},
    text.load: {"name": "newsgroups", "download": False},
    text.corpus: {"documents": TEXTS},
    text.newsgroups: {"download": False},
    text.docstrings: {"packages": ["json"]},
    text.bundled: {"size": 10},
    installed: {"packages": ["numpy"]},
    package_of: {"name": "numpy.linalg.norm"},
    Documents: {"texts": ("a",), "names": ("b",), "source": "here", "unit": "one text"},
}
OBJECTS = [(real.load("digits"), {})]
# Left out: parsers of uploaded bytes, checks, and what other modules of this package call with checked arguments.
INTERNAL = {"upload", "check", "models", "sets", "cells", "meaning", "notation", "spacing", "dates", "codes"}
INTERNAL |= {"gaps", "rest", "summary_rows"}
# `Experiment` and `Sites` keep what they are given: the one is read from this package's own file.
UNCHECKED = {
    "Experiment",
    "Sites",
    "reach",
    "packed",
    "unpacked",
    "row_norms",
    "cache_name",
    "downloaded",
    "read_cells",
}
SPECIAL = {
    # Where there is one run, there is no deviation.
    "published.load": {"nan": ("figure",)},
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPE_LAB_CACHE", str(tmp_path))
    cache.write("newsgroups", packed(NEWS))


CASES = hostile.cases(data, EXAMPLES, OBJECTS, internal=INTERNAL, unchecked=UNCHECKED)


@pytest.mark.parametrize("name", CASES)
def test_hostile_values_are_answered_in_words(name):
    function, own = CASES[name]
    example = hostile.example(function, NAMED, own)
    assert hostile.faults(name, function, example, **hostile.special(SPECIAL, name)) == []
