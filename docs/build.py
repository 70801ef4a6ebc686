"""Build the guide and the reference as a static site: python docs/build.py [folder]

The guide is the notebooks, run and printed in their order; the reference is made of docstrings. Everything is
made from what is installed (extra "docs"), and the site needs no network either: formulas become MathML, and figures
are drawn as SVG. A live page of a notebook becomes pictures of several of its states, with a button for each.

    python docs/build.py            # into docs/site; runs the notebooks, which takes minutes
    python docs/build.py --no-run   # the same with the pictures that are stored in the notebooks
"""

from __future__ import annotations

import argparse
import html
import importlib
import pkgutil
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pdoc
import pdoc.extract
import pdoc.render
from nbconvert import HTMLExporter
from nbconvert.filters.markdown import markdown2html
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).resolve().parents[1]
# The packages stand beside this folder, and need not be installed.
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "docs")) if path not in sys.path]
import notebook_cells  # noqa: E402
from static_figures.layout_picture import SHEET  # noqa: E402

from dashboard.components.formulas import restored, sheltered  # noqa: E402

PACKAGES = ("core", "data")
DOCUMENTS = ("i-want-to", "research")  # Of this folder, in the order of the site.
_STYLE = Path(__file__).with_name("site.css").read_text(encoding="utf-8")
# An answer is within a part of the page that is closed at first; marks, which the exporter leaves alone, say where.
_CLOSED = {"ANSWERBEGINS": "<details><summary>Answer</summary>", "ANSWERENDS": "</details>"}


@dataclass(frozen=True)
class Leaf:
    """One page of the site: file name, title and body in HTML."""

    file: str
    title: str
    body: str


def chapter(path: Path, *, run: bool) -> Leaf:
    """A notebook as a page; with `run` it is executed first, and its results are printed."""
    notebook = nbformat.read(path, as_version=4)
    if run:
        _show(notebook, notebook_cells.run(str(path), states=True), path.stem)
    else:
        _describe(notebook)
    title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
    formulas: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = sheltered(cell.source, formulas)
    exporter = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)
    notebook.cells = [part for cell in notebook.cells for part in _folded(cell)]
    body, _ = exporter.from_notebook_node(notebook)
    for mark, markup in _CLOSED.items():
        body = body.replace(mark, markup)
    return Leaf(f"{path.stem}.html", title, _linked(restored(body, formulas)))


def _show(notebook, shown, name):
    """Put what the cells showed into the notebook."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, (cell, outputs) in enumerate(zip(cells, shown, strict=True)):
        cell.outputs = [_output(found, f"{name}-{number}-{i}") for i, found in enumerate(outputs)]


def _describe(notebook):
    """Give stored pictures their words as the text for who does not see them."""
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if "image/png" in output.get("data", {}):
            words = html.escape(output.metadata.get("words", ""), quote=True)
            source = f"data:image/png;base64,{output.data['image/png'].strip()}"
            output.data = nbformat.from_dict({"text/html": f'<img src="{source}" alt="{words}">'})


def _output(found, name):
    if found.kind == "text":
        return nbformat.v4.new_output("stream", name="stdout", text=found.text)
    data = {"text/html": notebook_cells.switchable(name, found)}
    return nbformat.v4.new_output("display_data", data=data)


def _folded(cell):
    """The cell; that of an answer within a part of the page that is closed at first."""
    if "answer" not in cell.metadata.get("tags", ()):
        return [cell]
    first, last = map(nbformat.v4.new_raw_cell, _CLOSED)
    return [first, cell, last]


def document(path: Path, file: str) -> Leaf:
    """A Markdown file as a page; its links to files of the repository become plain text."""
    text = path.read_text(encoding="utf-8")
    title = text.splitlines()[0].lstrip("# ")
    return Leaf(file, title, _linked(markdown2html(text)))


def _linked(body):
    """Links to notebooks and to the documents lead to their pages; those to other files become plain text."""
    body = re.sub(r'href="[\w./]*?(\w+)\.ipynb"', r'href="\1.html"', body)
    body = re.sub(rf'href="[\w./]*?({"|".join(DOCUMENTS)})\.md"', r'href="\1.html"', body)
    return re.sub(r'<a href="(?!#|https?:|\w+\.html)[^"]*">(.*?)</a>', r"\1", body)


def contents(leaves: list[Leaf]) -> Leaf:
    """The first page: what there is."""
    items = "".join(f"<li><a href='{leaf.file}'>{html.escape(leaf.title)}</a></li>" for leaf in leaves)
    body = (
        "<h1>CAPE Lab</h1><p>What differential privacy costs when data stay at several sites, and what correlated noise "
        f"wins back.</p><h2>Guide</h2><ol>{items}</ol>"
        "<h2>Reference</h2><ul><li><a href='api/core.html'>core</a>: the mathematics</li>"
        "<li><a href='api/data.html'>data</a>: where records come from</li></ul>"
    )
    return Leaf("index.html", "CAPE Lab", body)


def page(leaf: Leaf, leaves: list[Leaf]) -> str:
    """A whole page with the way to its neighbours."""
    names = [other.file for other in leaves]
    here = names.index(leaf.file) if leaf.file in names else -1
    links = ["<a href='index.html'>Contents</a>"]
    if here > 0:
        links.append(f"<a rel='prev' href='{names[here - 1]}'>← {html.escape(leaves[here - 1].title)}</a>")
    if 0 <= here < len(names) - 1:
        links.append(f"<a rel='next' href='{names[here + 1]}'>{html.escape(leaves[here + 1].title)} →</a>")
    light, dark = (
        HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark")
    )
    colours = f"{light}@media (prefers-color-scheme: dark) {{ {dark} }}"
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{html.escape(leaf.title)}</title>"
        f"<style>{_STYLE}{SHEET}{colours}.highlight {{ background: none }}</style></head>"
        f"<body><nav>{''.join(links)}</nav><main>{leaf.body}</main></body></html>"
    )


def build(folder: Path, *, run: bool, notebooks: list[Path] | None = None, packages=PACKAGES) -> None:
    """Write the site into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted((ROOT / "notebooks").glob("*.ipynb")) if notebooks is None else notebooks
    leaves = []
    for path in paths:
        print(f"{path.stem} …", flush=True)
        leaves.append(chapter(path, run=run))
    leaves += [document(ROOT / "docs" / f"{name}.md", f"{name}.html") for name in DOCUMENTS]
    leaves.append(document(ROOT / "core" / "README.md", "mathematics.html"))
    for leaf in (contents(leaves), *leaves):
        (folder / leaf.file).write_text(page(leaf, leaves), encoding="utf-8")
    pdoc.render.configure(docformat="numpy", footer_text="CAPE Lab", search=True)
    pdoc.pdoc(*(name for package in packages for name in modules(package)), output_directory=folder / "api")


def modules(package: str) -> list[str]:
    """What the reference is to be asked for: a package, and the public modules that it does not bring along itself."""
    found = importlib.import_module(package)
    inside = pkgutil.walk_packages(getattr(found, "__path__", []), f"{package}.")
    names, brought = [], set()
    for name in (package, *(module.name for module in inside)):
        if name not in brought and not any(part.startswith("_") for part in name.split(".")):
            names.append(name)
            brought |= set(pdoc.extract.walk_specs([name]))
    return names


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs" / "site")
    parser.add_argument("--no-run", action="store_true", help="do not run the notebooks")
    chosen = parser.parse_args()
    build(chosen.folder, run=not chosen.no_run)
    print(f"Open {chosen.folder / 'index.html'}")


if __name__ == "__main__":
    main()
