"""The docstrings of installed Python packages: public text that is available on every machine.

Source files are parsed, never imported. The same packages give the same documents in the same order.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import platform
import sysconfig
import tokenize
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data import cache, check
from data.text.documents import Documents, packed, unpacked

PACKAGES = (
    *("stdlib", "numpy", "scipy", "sklearn", "pandas", "panel", "panel_material_ui", "holoviews", "bokeh"),
    *("param", "tornado", "jinja2", "markdown", "PIL", "requests", "narwhals"),
)
_DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow"}
_SKIPPED = {"test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__"}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_FORMAT = 1  # Raise when what is kept of a docstring changes.


@dataclass(frozen=True)
class Package:
    """An installed package: its import name, version, and the folder or file of its source."""

    name: str
    version: str
    path: Path


@check.arguments
def docstrings(
    packages: Sequence[str] = PACKAGES,
    *,
    on_progress: Callable[[int, int], None] | None = None,
    refresh: bool = False,
) -> Documents:
    """All docstrings of modules, classes and functions, one document each.

    Tests are left out, and so are docstrings that repeat an earlier one word for word.

    Parameters
    ----------
    packages : sequence of str
        Import names; "stdlib" is the standard library. Those not installed are passed over.
    on_progress : callable, optional
        Called with (files read, files in all) during the scan, which takes some tens of seconds the first
        time. It may raise, to stop the scan.
    refresh : bool
        Scan again even if these versions are in the cache.

    Raises
    ------
    ValueError
        If none of the packages is installed with its source.
    """
    result = installed(packages)
    if not result:
        raise ValueError(f"packages must name at least one installed package, got {list(packages)}")
    name = cache_name(result)
    kept = None if refresh else unpacked(cache.read(name))
    if kept is not None:
        return kept
    files = [(package, path) for package in result for path in _sources(package)]
    texts: dict[str, str] = {}
    repeated = 0
    for done, (package, path) in enumerate(files, start=1):
        for place, text in _documented(package, path):
            repeated += text in texts
            texts.setdefault(text, place)
        if on_progress is not None:
            on_progress(done, len(files))
    documents = Documents(
        texts=tuple(texts),
        names=tuple(texts.values()),
        source="docstrings of " + ", ".join(f"{package.name} {package.version}" for package in result),
        unit="one docstring",
        dropped=repeated,
    )
    cache.write(name, packed(documents), compress=True)
    return documents


@check.arguments
def installed(packages: Sequence[str]) -> tuple[Package, ...]:
    """The packages of the list whose source is on this machine, with their versions."""
    result = []
    for name in packages:
        path = Path(sysconfig.get_paths()["stdlib"]) if name == "stdlib" else _source_of(name)
        if path is not None:
            result.append(Package(name, _version(name), path))
    return tuple(result)


@check.arguments
def package_of(name: str) -> str:
    """The one of `PACKAGES` that a document of `docstrings` comes from, by its name."""
    top = name.split(".", 1)[0]
    return top if top in PACKAGES else "stdlib"


def cache_name(packages: Sequence[Package]) -> str:
    """Name in the cache of the scan of these packages: a digest of names, versions and Python's version."""
    key = [_FORMAT, platform.python_version(), [[package.name, package.version] for package in packages]]
    return "docstrings-" + hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]


def _version(name):
    if name == "stdlib":
        return platform.python_version()
    try:
        return importlib.metadata.version(_DISTRIBUTIONS.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def _source_of(name):
    """The folder of a package or the file of a module, found without importing it."""
    if not name.isidentifier():
        raise ValueError(f"packages must be import names of top level, got {name!r}")
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.has_location:
        return None
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin


def _sources(package) -> list[Path]:
    """Python files of a package in a fixed order, tests left out."""
    if package.path.is_file():
        return [package.path] if package.path.suffix == ".py" else []
    files = []
    for path in package.path.rglob("*.py"):
        inner = path.relative_to(package.path)
        tests = path.name.startswith("test_") or path.name == "conftest.py"
        if not tests and _SKIPPED.isdisjoint(inner.parts):
            files.append((inner.as_posix(), path))
    return [path for _, path in sorted(files)]


def _documented(package, path) -> Iterator[tuple[str, str]]:
    """(Dotted name, docstring) of everything documented in a file, in the order of the source."""
    try:
        with tokenize.open(path) as stream:
            source = stream.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # A template or a file for another version of Python.
    stack: list[tuple[str, Any]] = [(_module_name(package, path), tree)]
    while stack:
        name, node = stack.pop()
        text = ast.get_docstring(node)
        if text and text.strip():
            yield name, text
        inner: list[Any] = [child for child in _statements(node) if isinstance(child, _DOCUMENTED)]
        stack.extend((f"{name}.{child.name}", child) for child in reversed(inner))


def _statements(node) -> Iterator[ast.AST]:
    """Statements of a body, those within if, try and with included; not those of inner definitions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            yield child
            if not isinstance(child, _DOCUMENTED):
                yield from _statements(child)


def _module_name(package, path):
    if package.path.is_file():
        return package.name
    parts = path.relative_to(package.path).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts if package.name == "stdlib" else (package.name, *parts))
