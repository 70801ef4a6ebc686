"""The pages of the algorithms of *Compare*, and what any page has computed, for tests."""

from typing import Any

from dashboard.algorithms.average import comparison as average
from dashboard.algorithms.clusters import comparison as clusters
from dashboard.algorithms.network import comparison as network
from dashboard.algorithms.pca import comparison as pca
from dashboard.algorithms.power import comparison as power
from dashboard.algorithms.regression import comparison as regression
from dashboard.algorithms.topics import comparison as topics
from dashboard.compare.sweep import Sweep
from dashboard.guarantee.guarantee import of_rows
from dashboard.runs.sweep_plan import SweepPlan
from dashboard.sheet.open_page import OpenPage
from dashboard.sheet.page import Page
from dashboard.state.controls import Controls

AveragePage = Page.of(average.PAGE)
ClustersPage = Page.of(clusters.PAGE)
PcaPage = Page.of(pca.PAGE)
PowerPage = Page.of(power.PAGE)
RegressionPage = Page.of(regression.PAGE)
NetworkPage = Page.of(network.PAGE)
TopicsPage = Page.of(topics.PAGE)


def compares(kind: Page) -> bool:
    """Whether a page is a comparison."""
    return isinstance(kind.spec.work, Sweep)


def record(page: Any) -> Any:
    """The record of a comparison."""
    return page.spec.work.of


def unprotected(page: OpenPage, plan: Any = None) -> tuple:
    """What a page shows of records without noise."""
    plan = plan or page.plan
    if not compares(page):
        return page.unprotected(plan)
    own = () if page.own_table is None else tuple(page.own_table.unprotected())
    return (*record(page).unprotected(plan, page.model.table), *own)


def guaranteed(page: OpenPage, plan: Any) -> Any:
    """What a comparison guarantees."""
    return of_rows(record(page).guarantee(plan, page.model.table), page.model.table)


def cost(page: OpenPage, job: Any) -> Any:
    """The privacy cost of a run, for the ledger."""
    return record(page).law.of_run(page.plan, job) if compares(page) else page.spec.work.cost(page.plan, job)


def sweeps(kind: Page) -> bool:
    """Whether a page draws a curve of repeated runs."""
    plan = kind(Controls()).compute()
    return isinstance(plan, SweepPlan) and bool(plan.batches)
