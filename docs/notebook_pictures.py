"""Store what the notebooks show in the notebooks: python docs/notebook_pictures.py [name …]

GitHub shows stored pictures alone, no scripts. This program runs the notebooks, draws their pictures with
`static_figures`, and photographs them with Chromium. Run it after you changed a notebook, or what it
shows; `tests/test_notebooks.py` says which notebooks need it. It takes three minutes for all.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import math
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "docs")) if path not in sys.path]
import notebook_cells  # noqa: E402
from notebook_cells import Shown  # noqa: E402
from static_figures.layout_picture import SHEET  # noqa: E402

LARGEST = 150_000  # Bytes of a notebook.
_WIDTH, _SCALE, _COLOURS = 720, 1.25, 256
_NEAR = 0.05  # Relative difference of numbers that another machine may print.
_NUMBER = re.compile(r"[-−]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
_LIGHT = "--ink:#1a1f27;--quiet:#5c6672;--grid:#e5e5e5"
_PAGE = (
    "<!doctype html><meta charset='utf-8'><style>body { margin: 0; background: #fff; font: 16px sans-serif; WIDE }"
    ".shot { padding: 8px } .said { margin: 8px } SHEET</style><body>"
)


def signature(notebook) -> str:
    """A short digest of the code of a notebook."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def differences(notebook, shown: Sequence[Sequence[Shown]]) -> list[str]:
    """What is stored in a notebook and no longer true: a sentence for each cell.

    Numbers may differ by 5 %: they come from another machine's arithmetic.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if notebook.metadata.get("cape_lab", {}).get("code") != signature(notebook):
        return ["the code was changed after its pictures were stored"]
    found = []
    for number, (cell, outputs) in enumerate(zip(cells, shown, strict=True)):
        stored = [_stored(output) for output in cell.outputs]
        now = [_words(output) for output in outputs]
        if len(stored) != len(now) or not all(map(_alike, stored, now)):
            found.append(f"code cell {number} stores {stored} and shows {now}")
    return found


def _stored(output):
    return output.text if output.output_type == "stream" else output.metadata.get("words", "")


def _words(shown):
    if not shown.states:
        return shown.text
    # The sentences of a live page stand below its figure and may follow later runs.
    return notebook_cells.words(shown.states[0][1].partition('<div class="said">')[0])


def _alike(first, second):
    if _NUMBER.sub("0", first).split() != _NUMBER.sub("0", second).split():
        return False
    pairs = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(math.isclose(_number(a), _number(b), rel_tol=_NEAR, abs_tol=1e-9) for a, b in pairs)


def _number(text):
    return float(text.replace("−", "-").replace(",", ""))


def store(path: Path, photograph) -> None:
    """Run a notebook and store its outputs in it.

    Parameters
    ----------
    photograph : callable
        Maps a picture's HTML to PNG bytes.
    """
    notebook = nbformat.read(path, as_version=4)
    shown = notebook_cells.run(str(path))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, (cell, outputs) in enumerate(zip(cells, shown, strict=True), 1):
        cell.execution_count = number
        cell.outputs = [_output(found, photograph) for found in outputs]
    notebook.metadata["cape_lab"] = {"code": signature(notebook)}
    text = nbformat.writes(notebook) + "\n"
    if len(text.encode()) > LARGEST:
        raise ValueError(
            f"{path.name} must have at most {LARGEST:,} bytes with its pictures, got {len(text.encode()):,}"
        )
    path.write_text(text, encoding="utf-8")


def _output(found, photograph):
    if found.kind == "text":
        return nbformat.v4.new_output("stream", name="stdout", text=found.text)
    if found.kind == "table":
        data = {"text/html": found.states[0][1], "text/plain": found.text}
    else:
        picture = base64.b64encode(photograph(found.states[0][1])).decode()
        data = {"image/png": picture, "text/plain": "a picture"}
    return nbformat.v4.new_output("display_data", data=data, metadata={"words": _words(found)})


def _photographer(browser):
    page = browser.new_page(viewport={"width": _WIDTH, "height": 600}, device_scale_factor=_SCALE)
    head = _PAGE.replace("SHEET", SHEET).replace("WIDE", _LIGHT)

    def photograph(markup):
        page.set_content(f"{head}<div class='shot'>{markup}</div>")
        shot = Image.open(io.BytesIO(page.locator(".shot").screenshot())).convert("RGB")
        few = shot.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
        buffer = io.BytesIO()
        few.save(buffer, "PNG", optimize=True)
        return buffer.getvalue()

    return photograph


def main() -> None:
    """Store the pictures of all notebooks, or of those that are named."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="beginnings of the notebooks' names, e.g. 01; default: all")
    names = tuple(parser.parse_args().names) or ("",)
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found)
        photograph = _photographer(browser)
        for path in notebook_cells.NOTEBOOKS:
            if path.name.startswith(names):
                store(path, photograph)
                print(f"{path.stem}: {path.stat().st_size // 1000} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
