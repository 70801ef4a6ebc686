"""All pages name an observer with the same words."""

from dashboard.guarantee import observer
from dashboard.state.controls import Controls


def test_every_adversary_of_the_controls_has_a_name_and_a_condition():
    found = list(Controls.param.adversary.objects.values())
    assert len({observer.name(one, 2) for one in found}) == len({*found}) == 3
    for one in found:
        assert observer.condition(one, 2).endswith(("is seen", "are seen", "collude"))
    assert observer.seen("message") != observer.seen("aggregator") == observer.seen("colluders")
    assert observer.name("colluders", 0) == observer.name("aggregator")
    assert "1 site colludes" in observer.condition("colluders", 1)
