"""The pages of the algorithms of *Compare*, for tests."""

from dashboard.algorithms.pca.comparison import PCA
from dashboard.compare.page import ComparePage

PcaPage = ComparePage.of(PCA)
