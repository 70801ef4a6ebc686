"""The schemes that CAPE Lab comes with, a module each; this list registers them."""

from core.schemes.known import cape, conventional, local, nonprivate, pooled
from core.schemes.registry import register

for module in (nonprivate, pooled, local, conventional, cape):
    register(module.SCHEME)
