"""Records drawn from known distributions: the papers' own, and public-bound variants of them.

Every result is a frozen dataclass with the truth beside the records, so that an estimate can be judged.
"""

from data.synthetic.documents import (
    LdaDocuments,
    SingleTopicDocuments,
    dirichlet_topics,
    lda,
    orthogonal_topics,
    single_topic,
)
from data.synthetic.gaussian import LowRank, Mixture, low_rank, mixture_of_gaussians, weights_of_figure
from data.synthetic.learning import Classes, RegressionData, regression, two_classes
from data.synthetic.plane import plane_classes
from data.synthetic.scalars import BoundedValues, bounded

__all__ = [
    "BoundedValues",
    "Classes",
    "LdaDocuments",
    "LowRank",
    "Mixture",
    "RegressionData",
    "SingleTopicDocuments",
    "bounded",
    "dirichlet_topics",
    "lda",
    "low_rank",
    "mixture_of_gaussians",
    "orthogonal_topics",
    "plane_classes",
    "regression",
    "single_topic",
    "two_classes",
    "weights_of_figure",
]
