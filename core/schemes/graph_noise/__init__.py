"""Noise on a graph: two sites that share an edge draw one number together; one adds it, the other subtracts it."""

from core.schemes.graph_noise.graph_design import (
    EXACT_SITES,
    GraphDesign,
    WorstColluders,
    design,
    least_average,
    worst_average,
)
from core.schemes.graph_noise.graphs import (
    DEGREE,
    GRAPHS,
    Graph,
    complete,
    component,
    graph_of,
    graph_option,
    regular,
    ring,
)

__all__ = [
    "DEGREE",
    "EXACT_SITES",
    "GRAPHS",
    "Graph",
    "GraphDesign",
    "WorstColluders",
    "complete",
    "component",
    "design",
    "graph_of",
    "graph_option",
    "least_average",
    "regular",
    "ring",
    "worst_average",
]
