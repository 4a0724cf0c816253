"""mpmath works with 1300 bits in this room: 1024 for the largest argument, the rest for the result."""

import pytest
from mpmath import mp


@pytest.fixture(autouse=True, scope="module")
def enough_bits():
    with mp.workprec(1300):
        yield
