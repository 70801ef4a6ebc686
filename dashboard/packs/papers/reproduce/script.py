"""A figure's runs as a program that needs only `core` and `data`."""

from __future__ import annotations

import dataclasses
import inspect
import re
from types import ModuleType

from dashboard.packs.papers.reproduce import author_programs, datasets
from dashboard.packs.papers.reproduce.experiments import Plan


def program(plan: Plan) -> str:
    """A Python program that runs a figure again and leaves method, x and mean of every point in `columns`.

    It contains the source of everything that `core` lacks: the records and the authors' programs.
    """
    e, problem, batch = plan.experiment, plan.batches[0].problem, plan.batches[0]
    axis = "records" if e.axis == "records" and "records" not in batch.cells[0] else e.axis
    cells = ",\n    ".join(repr(cell) for one in plan.batches for cell in one.cells)
    convention = "as published" if plan.published else "revised"
    return f'''"""[{e.paper}] {e.label}, {convention}: {e.y_drawn(published=plan.published)}."""
{_sources(problem)}
problem = Problem(
{_fields(problem)}
)
cells = [
    {cells},
]
rows = sweep.run(problem, cells, schemes={batch.methods!r}, repeats={batch.repeats}, seed={batch.seed})
rows = rows.rename(columns={{"scheme": "method", "value": {e.measure!r}}})
rows["x"] = {'rows["samples"] * rows["sites"]' if axis == "records" else f"rows[{axis!r}]"}
means = rows.groupby(["method", "x"], sort=False)[{e.measure!r}].mean().reset_index(name="mean")
columns = means.to_dict("list")
print(means.to_string())
'''


def _sources(problem):
    """Imports, and the source of what no package contains; it defines `Problem` and the name of its load."""
    kind = type(problem)
    parts = ["from core import sweep"]
    load = getattr(problem, "load", None)
    if load is not None and load.__module__ == datasets.__name__:
        parts += [_body(datasets)]
    elif load is not None:
        parts.append(f"from {load.__module__} import {load.__name__}")
    if kind.__module__ == author_programs.__name__:
        parts += [_imports(author_programs), inspect.getsource(kind), f"Problem = {kind.__name__}"]
    else:
        parts.append(f"from {kind.__module__} import {kind.__name__} as Problem")
    return "\n".join(parts) + "\n"


def _body(module: ModuleType) -> str:
    """A module's source without its docstring and its `from __future__` line."""
    source = inspect.getsource(module).replace(f'"""{module.__doc__}"""', "", 1)
    return re.sub(r"^from __future__ .*\n", "", source, flags=re.MULTILINE).strip() + "\n"


def _imports(module: ModuleType) -> str:
    """The import lines of a module."""
    return "\n".join(re.findall(r"^(?:from|import) .*$", _body(module), flags=re.MULTILINE)) + "\n\n"


def _fields(problem):
    values = {f.name: getattr(problem, f.name) for f in dataclasses.fields(problem)}
    texts = {name: value.__name__ if callable(value) else repr(value) for name, value in values.items()}
    return "\n".join(f"    {name}={text}," for name, text in texts.items())
