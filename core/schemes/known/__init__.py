"""The schemes of CAPE Lab, one module each; importing this package registers them."""

from core.schemes.known import cape, cape_best, conventional, graph, local, nonprivate, pooled, secure
from core.schemes.registry import register

for module in (nonprivate, pooled, local, conventional, cape, cape_best, graph, secure):
    register(module.SCHEME)
