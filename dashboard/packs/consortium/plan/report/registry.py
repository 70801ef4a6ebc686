"""A plan in the fields of the public registry of deployments of differential privacy, as JSON that programs read.

The registry is that of Ghazi, Nanayakkara and Vadhan (arXiv 2509.13509); names and their few values are those of its
schema (opendp/deployments-registry-data, schemas/deployments-schema.yaml). docs/schemas/deployment.json publishes
`schema`. What only the publisher knows is left empty.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Curator(_Part):
    """Who publishes the data product."""

    data_curator_name: str
    data_curator_type: Literal["Government", "Industry", "Nonprofit"]


class Basic(_Part):
    """What is published, by whom and what for."""

    name: str
    data_curators: Annotated[list[Curator], Field(description="left empty by a plan")] = []
    description: str
    intended_use: Annotated[str, Field(description="left empty by a plan")] = ""
    data_product_type: Literal["Summary statistics", "Machine learning model"]
    data_product_region: Annotated[str, Field(description="left empty by a plan")] = ""
    publication_date: Annotated[str, Field(description="YYYY-MM-DD; left empty by a plan")] = ""


class Variant(_Part):
    """The kind of guarantee, and what it does not cover."""

    variant_name: Literal["Approximate DP"] = "Approximate DP"
    data_domain: str
    unprotected_quantities: str


class Parameters(_Part):
    """ε and δ for one privacy unit."""

    epsilon: Annotated[float, Field(gt=0)]
    delta: Annotated[float, Field(gt=0, lt=1)]


class Loss(_Part):
    """What one record is, and what is promised for it."""

    privacy_unit: str
    privacy_unit_details: str
    number_of_privacy_units: Annotated[int, Field(ge=1)]
    privacy_parameters: Parameters
    privacy_parameters_details: str


class Deployment(_Part):
    """Who is trusted with what, and how often something is released."""

    model_name: Literal["Central", "Federated"]
    model_name_details: str
    trust_assumptions: str
    release_type: Literal["One release", "Many releases"]
    release_type_details: str
    data_source_type: Literal["Static"] = "Static"
    access_type: Literal["Non-interactive"] = "Non-interactive"


class Implementation(_Part):
    """How the release is computed."""

    preprocessing_and_hyperparameter_tuning: str
    mechanisms: str
    composition: str
    utility: str


class Administrative(_Part):
    """The state of the entry."""

    status: Literal["Draft"] = "Draft"
    registry_authors: Annotated[list[str], Field(description="left empty by a plan")] = []
    tier: Literal[3] = 3


class Entry(_Part):
    """All parts of an entry."""

    basic: Basic
    dp_variant: Variant
    privacy_loss: Loss
    deployment_model: Deployment
    implementation: Implementation
    administrative: Administrative = Administrative()


class Summary(_Part):
    """A planned release as an entry of the registry of deployments."""

    url_slug: str = ""
    deployment: Entry

    def text(self) -> str:
        """The JSON."""
        return json.dumps(self.model_dump(), ensure_ascii=False, indent=1) + "\n"


def schema() -> str:
    """The JSON Schema of the summary, as docs/schemas/deployment.json publishes it."""
    return json.dumps(Summary.model_json_schema(), indent=1, ensure_ascii=False) + "\n"
