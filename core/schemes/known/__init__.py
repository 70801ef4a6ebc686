"""The schemes of CAPE Lab, one module each; importing this package registers them."""

from core.schemes.known import cape, conventional, local, nonprivate, pooled
from core.schemes.registry import register

for module in (nonprivate, pooled, local, conventional, cape):
    register(module.SCHEME)
