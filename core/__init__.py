"""CAPE Lab's mathematics: differentially private computation over records held at several sites. See README.md."""

from core.privacy import Privacy
from core.schemes import SCHEMES, Release, release

__all__ = ["SCHEMES", "Privacy", "Release", "release"]
