"""Pages of the app in a real JupyterLab: they move, they survive a reload, and they leave its window alone."""

import contextlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
from conftest import ROOT, free_port, wait_for

TimeoutError = pytest.importorskip("playwright.sync_api").TimeoutError
if find_spec("jupyterlab") is None:  # Importing it takes as long as all pages: only its own process does.
    pytest.skip("JupyterLab is not installed (extra 'notebooks')", allow_module_level=True)
nbformat = pytest.importorskip("nbformat")
CELLS = (
    'import holoviews as hv\nhv.extension("bokeh", inline=True, logo=False)\nfrom dashboard import explore',
    'explore("gain", sites=5)',
    'explore("gain", sites=8)',
)
# README's second example: the next cell is run before any browser has drawn the page.
README = (
    'import holoviews as hv\nhv.extension("bokeh", inline=True, logo=False)\nfrom dashboard import explore',
    'pca = explore("pca", epsilon=1.0, sites=10)\npca',
    "pca.controls.epsilon = 2",
)
PATIENCE = 120_000  # Milliseconds that a busy machine may take to run the cells.
IDLE = "() => document.body.innerText.includes('| Idle')"
DATA = """() => Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  .filter((model) => model.type === "ColumnDataSource")
  .map((model) => JSON.stringify(Object.entries(model.data).map(([name, values]) => [name, Array.from(values)])))"""
# The confirmation of a message is lost.
UNCONFIRMED = """() => Bokeh.documents.flatMap((one) => [...one._all_models.values()]).filter((one) => one._event_buffer)
  .forEach((one) => { one._blocked = true; one._timeout = Date.now() + 2000 })"""
RUN = "() => [...document.querySelectorAll('.jp-InputPrompt')].slice(0, 3).every((e) => /\\d/.test(e.textContent))"


@pytest.fixture
def lab(tmp_path):
    """The address of a notebook in a JupyterLab that this test starts, with a home of its own."""
    folder, port = tmp_path / "work", free_port()
    folder.mkdir()
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for name, codes in (("two", CELLS), ("readme", README)):
        cells = [nbformat.v4.new_code_cell(code) for code in codes]
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / f"{name}.ipynb")
    homes = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = {**os.environ, **homes, "IPYTHONDIR": str(tmp_path / "ipython"), "PYTHONPATH": str(ROOT)}
    command = [
        *(
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            f"--port={port}",
        ),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", "--LabApp.news_url="),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    log = tmp_path / "log.txt"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out, cwd=folder)
    try:
        wait_for(f"http://127.0.0.1:{port}/api", process, log)
        yield f"http://127.0.0.1:{port}/lab/tree/"
    finally:
        process.terminate()
        process.wait(timeout=30)
        shutil.rmtree(folder)


class Output:
    """What a cell shows."""

    def __init__(self, page, number, errors, *, slider="Sites S"):
        self._page, self._errors = page, errors
        self._cell = page.locator(".jp-CodeCell").nth(number)
        self._slider = self._cell.get_by_role("slider", name=slider)

    def words(self):
        """The text under the picture; it holds the numbers."""
        return self._cell.locator(".headline", has_text="CAPE's average").first.text_content()

    def value(self):
        """What the slider above the picture shows."""
        return self._slider.get_attribute("aria-valuetext")

    def says(self, text, patience=PATIENCE):
        """Wait until the text says this; Jupyter paints only what is in sight."""
        words = self._cell.locator(".headline", has_text=text).first
        try:
            words.wait_for(state="attached", timeout=patience)
        except TimeoutError as error:
            raise AssertionError(
                f"never said {text!r}; the slider shows {self.value()}; {self._errors}"
            ) from error

    def picture(self):
        """The pixels of the main figure."""
        figure = self._cell.locator(".bk-Figure").first
        figure.scroll_into_view_if_needed()
        return figure.screenshot()

    def changes(self, pixels):
        """Wait until the main figure looks different; it is painted after the text."""
        for _ in range(PATIENCE // 200):
            if self.picture() != pixels:
                return
            self._page.wait_for_timeout(200)
        raise AssertionError(f"the picture never changed; {self._errors}")

    def move(self, key):
        """Move the slider above the picture by one key: once more if Jupyter took the focus for itself before it."""
        shown = self.value()
        for _ in range(20):
            self._slider.press(key)
            for _ in range(10):
                if self.value() != shown:
                    return
                self._page.wait_for_timeout(100)
        raise AssertionError(f"the slider did not move; {self._errors}")


def curves(page):
    """The data of all figures that are on the page, in any order."""
    return sorted(page.evaluate(DATA))


def menu(page, name, entry):
    page.get_by_role("menuitem", name=name, exact=True).click()
    page.get_by_text(entry, exact=True).click()


def test_two_pages_in_a_notebook_move_and_survive_a_reload_and_leave_its_window_alone(browser, lab):
    context = browser.browser.new_context()  # Without the app's cookies.
    page, errors, foreign = context.new_page(), [], []
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda one: errors.append(one.text) if one.text.startswith("Python failed") else None)
    page.on("request", lambda one: foreign.extend([one.url] if one.url.startswith("http") else ()))
    page.goto(f"{lab}two.ipynb")
    page.wait_for_function(IDLE, polling=500)  # All text of the page on every frame would be costly.
    address = page.url
    menu(page, "Run", "Run All Cells")
    page.wait_for_function(RUN, polling=500)
    first, second = Output(page, 1, errors), Output(page, 2, errors)
    first.says("times less")
    second.says("times less")
    cookies, title = {one["name"] for one in context.cookies()}, page.title()
    pictures, other = first.picture(), second.words()

    page.evaluate(UNCONFIRMED)
    first.move("ArrowRight")
    first.says("1.87 times less")
    first.changes(pictures)
    assert second.words() == other

    moved = curves(page)
    menu(page, "File", "Save Notebook")
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')", polling=500)
    for _ in range(
        4
    ):  # A busy Jupyter may open the page before its kernel is there, and shows what was stored.
        page.reload()
        page.wait_for_function(IDLE, polling=500)
        with contextlib.suppress(AssertionError):
            first.says("1.87 times less", PATIENCE // 8)
            break
    assert "1.87 times less" in first.words()
    assert second.words() == other
    assert curves(page) == moved
    second.move("ArrowLeft")  # The kernel still answers.
    second.says("2 times less")
    assert "1.87 times less" in first.words()
    assert len(set(first.picture())) > 50

    assert (page.url, page.title()) == (address, title)
    assert {one["name"] for one in context.cookies()} == cookies
    assert not any("cape" in name for name in cookies)
    assert errors == []
    assert [one for one in foreign if not one.startswith("http://127.0.0.1:")] == []
    context.close()


def test_a_control_that_the_next_cell_of_a_run_of_all_sets_moves_the_page(browser, lab):
    context = browser.browser.new_context()
    page, errors = context.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda one: errors.append(one.text) if "TypeError" in one.text else None)
    page.goto(f"{lab}readme.ipynb")
    page.wait_for_function(IDLE, polling=500)
    menu(page, "Run", "Run All Cells")
    shown = Output(page, 1, errors, slider="Privacy ε")
    shown.says("at ε = 2")
    assert shown.value() == "2"
    shown.move("ArrowRight")  # It goes on as any other page.
    shown.says(f"at ε = {shown.value()}")
    assert page.get_by_text("compute one result").filter(visible=True).count() == 0
    assert errors == []
    context.close()
