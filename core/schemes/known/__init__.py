"""The schemes of CAPE Lab, one module each; importing this package registers them."""

from importlib import import_module

from core.schemes.registry import register

# The order fixes the random streams of sweeps: append a new module at the end.
MODULES = (
    "nonprivate",
    "pooled",
    "local",
    "conventional",
    "cape",
    "cape_best",
    "graph",
    "secure",
    "cape_after",
)

for name in MODULES:
    register(import_module(f"{__name__}.{name}").SCHEME)
