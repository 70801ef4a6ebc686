"""The pages of the algorithms of *Compare*, and what any page has computed, for tests."""

from typing import Any

from dashboard.algorithms.average.comparison import AVERAGE
from dashboard.algorithms.clusters.comparison import CLUSTERS
from dashboard.algorithms.network.comparison import NETWORK
from dashboard.algorithms.pca.comparison import PCA
from dashboard.algorithms.power.comparison import POWER
from dashboard.algorithms.regression.comparison import REGRESSION
from dashboard.algorithms.topics.comparison import TOPICS
from dashboard.compare.page import ComparePage
from dashboard.runs.sweep_plan import SweepPlan
from dashboard.sheet.viewed import ViewedPage
from dashboard.state.controls import Controls

AveragePage = ComparePage.of(AVERAGE)
ClustersPage = ComparePage.of(CLUSTERS)
PcaPage = ComparePage.of(PCA)
PowerPage = ComparePage.of(POWER)
RegressionPage = ComparePage.of(REGRESSION)
NetworkPage = ComparePage.of(NETWORK)
TopicsPage = ComparePage.of(TOPICS)


def cost(page: ViewedPage, job: Any) -> Any:
    """The privacy cost of a run, for the ledger."""
    of = page.spec if isinstance(page, ComparePage) else page
    return of.cost(page.plan, job)


def sweeps(kind: type[ViewedPage]) -> bool:
    """Whether a page draws a curve of repeated runs."""
    page = kind(Controls())
    plan = page.compute() if isinstance(page, ViewedPage) else None
    return isinstance(plan, SweepPlan) and bool(plan.batches)
