"""A plan as an entry of the registry of deployments of differential privacy."""

from __future__ import annotations

from core.schemes import named
from dashboard.guarantee import observer
from dashboard.packs.consortium.plan.metrics import KINDS
from dashboard.packs.consortium.plan.report import hazards, registry
from dashboard.packs.consortium.plan.report.parts import Parts
from dashboard.packs.consortium.plan.words.text import promised, short
from dashboard.state.number_text import equals
from dashboard.theme.scheme_style import label

_MODELS = ("components", "topics", "regression")


def summary(parts: Parts) -> registry.Summary:
    """The entry; the plan must have an answer."""
    entry = registry.Entry(
        basic=_basic(parts),
        dp_variant=_variant(parts),
        privacy_loss=_loss(parts),
        deployment_model=_deployment(parts),
        implementation=_implementation(parts),
    )
    return registry.Summary(deployment=entry)


def _basic(parts):
    question = parts.question
    return registry.Basic(
        name=f"Plan: {KINDS[question.kind].title} of {question.title}",
        description=_aim(question),
        data_product_type="Machine learning model" if question.kind in _MODELS else "Summary statistics",
    )


def _aim(question):
    """What the release is planned for, as a sentence."""
    if question.measured:
        return f"A release at which an attacker may {question.risk_text}; its error is stated."
    return f"A release that is to {question.sentence}."


def _variant(parts):
    domain = f"Columns {', '.join(parts.columns)}" if parts.columns else parts.question.title
    open_points = "; ".join(("the number of records of each site", *parts.not_private))
    return registry.Variant(data_domain=domain, unprotected_quantities=open_points)


def _loss(parts):
    question = parts.question
    epsilon = promised(question, parts.answers[parts.scheme])
    return registry.Loss(
        privacy_unit=question.unit,
        privacy_unit_details=hazards.unit(parts),
        number_of_privacy_units=parts.records,
        privacy_parameters=registry.Parameters(epsilon=float(epsilon), delta=float(question.settings.delta)),
        privacy_parameters_details=f"{parts.promise} Gaussian noise, {equals('μ', parts.mu)}.",
    )


def _deployment(parts):
    scheme = named(parts.scheme)
    settings = parts.question.settings
    return registry.Deployment(
        model_name="Central" if scheme.curator or scheme.one_site else "Federated",
        model_name_details=f"{label(parts.scheme)}: {scheme.explanation}",
        trust_assumptions=f"{hazards.trust(parts)} Planned against {observer.name(settings.adversary, settings.colluding)}.",
        release_type="Many releases" if parts.year else "One release",
        release_type_details=hazards.composition(parts),
    )


def _implementation(parts):
    question = parts.question
    runs = sum(answer.runs for answer in parts.answers.values())
    how = (
        f"{runs} runs compared with the answer without noise; their loss is not counted"
        if runs
        else "By a formula"
    )
    return registry.Implementation(
        preprocessing_and_hyperparameter_tuning=f"{how}. Bounds: {hazards.bounds(parts)}",
        mechanisms=f"Gaussian mechanism; CAPE Lab {parts.version}, scheme {parts.scheme}",
        composition=hazards.composition(parts),
        utility=f"{_aim(question)} {label(parts.scheme)}: {short(question, parts.answers[parts.scheme])}.",
    )
