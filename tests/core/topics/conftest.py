"""Documents that the tests of topics share."""

import pytest
from lda_documents import draw


@pytest.fixture(scope="module")
def small():
    return draw(4000, d=40, k=3, alpha0=0.3)
