"""The pages, one module each: a model that computes, a view that shows. Navigation keeps this order."""

from dashboard.pages.audit import AuditPage
from dashboard.pages.averaging import AveragingPage
from dashboard.pages.components import ComponentsPage
from dashboard.pages.gain import GainPage
from dashboard.pages.guarantee import GuaranteePage
from dashboard.pages.network import NetworkPage
from dashboard.pages.pca import PcaPage
from dashboard.pages.power import PowerPage
from dashboard.pages.power_noise import NoisePage
from dashboard.pages.power_stream import StreamPage
from dashboard.pages.regression import RegressionPage
from dashboard.pages.secure_sum import SecureSumPage
from dashboard.pages.sites import SitesPage
from dashboard.pages.start import StartPage
from dashboard.pages.topics import TopicsPage

PAGES = (
    StartPage,
    AveragingPage,
    GainPage,
    GuaranteePage,
    PcaPage,
    ComponentsPage,
    TopicsPage,
    RegressionPage,
    NetworkPage,
    PowerPage,
    StreamPage,
    NoisePage,
    SitesPage,
    SecureSumPage,
    AuditPage,
)
