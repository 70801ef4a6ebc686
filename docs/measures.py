"""How plural the code is: the measures by which it is rebuilt. `python docs/measures.py` prints them as a table.

Every number is counted from the source or from a profiled page, as the column on the right says; none is kept by hand.
A named list, as of what asks, holds what was found before the pages were built anew: what is gone no longer counts.
Copied into `docs` of another commit, it measures that one.
"""

from __future__ import annotations

import ast
import gzip
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("CAPE_LAB_WORKERS", "threads")
PRODUCT = ("core", "data", "dashboard")
# What a folder was called before the packs.
BEFORE = {
    "dashboard/packs/classroom": "dashboard/class_room",
    "dashboard/packs/notebook/": "dashboard/",
    "dashboard/packs/handout": "dashboard/handout",
    "docs/static_figures": "dashboard/plotting/static",
}
# Of a page's author: where records and classes stand whose fields a page sets, and how these are named.
AUTHORED = ("dashboard/sheet", "dashboard/compare", "dashboard/page")
RECORDS = ("Sheet", "Comparison", "Facts", "Description")
# Records that those hold: parts of a page that has them.
PARTS = ("Work", "Calls", "Sweep", "Look", "Law", "Result", "Curve", "Model", "OwnTableModel")
# What lays out the parts of a page: each framework of pages has one.
FRAME = r"^Board$"
# Words of the subject's everyday English that name no thing.
VAGUE = ("found", "here", "told", "said", "asked", "held", "seen")
# Where a user's table is read, described and kept, now or later.
TABLE = (
    "data/upload", "data/columns", "data/table", "dashboard/own_table", "dashboard/table",
    "dashboard/packs/notebook/explorer/records.py",
)  # fmt: skip
# Classes there that carry no table: errors, limits, widgets.
NO_CARRIER = (
    r"Error$|^(Cancelled|Ended|TooMany|WrongCell|Parser|Limits|Panel|ColumnGrid|Adapted|Descriptions)$"
)
# File, and a word that it holds as long as it asks.
ASKS = {
    "the questions to phones": ("dashboard/packs/classroom/seats.py", "class Question"),
    "the guessing game": ("dashboard/pages/learn/guarantee/guess.py", "def "),
}
DRAWS = {
    "Bokeh figures": "dashboard/plotting/figure.py",
    "the live picture": "dashboard/components/live_picture",
    "the protocol's play": "dashboard/components/protocol_play",
    "the class's screen": "dashboard/packs/classroom/screen.js",
    "HoloViews": "dashboard/packs/notebook/plots",
    "Bokeh figures as SVG of our own": "docs/static_figures",
    "panels of dots": "dashboard/components/dot_panels",
    "sketches": "dashboard/components/sketch.py",
    "the handout's charts": "dashboard/packs/handout/chart.js",
}
NOTATIONS = {
    "a column with its cells, Column": ("data/columns/description.py", "class Column"),
    "its row in the editor, Row": ("dashboard/own_table/rows.py", "class Row"),
    "bounds by column of a notebook, OwnRecords": (
        "dashboard/packs/notebook/explorer/records.py",
        "class OwnRecords",
    ),
    "the choice that pages take, Choice": ("dashboard/own_table/description.py", "class Choice"),
}


def place(name: str) -> Path:
    """A file or folder, by its name now or before."""
    path = ROOT / name
    for now, before in () if path.exists() else BEFORE.items():
        if name.startswith(now):
            return ROOT / name.replace(now, before, 1)
    return path


def sources(*folders: str, ends: tuple[str, ...] = (".py",)) -> Iterator[Path]:
    """The files of folders; a name that is missing has none."""
    for folder in folders:
        root = place(folder)
        found = [root] if root.is_file() else sorted(root.rglob("*"))
        yield from (path for path in found if path.suffix in ends and "__pycache__" not in path.parts)


def lines(*folders: str, ends: tuple[str, ...] = (".py",)) -> int:
    """Lines of files, blank ones and comments too."""
    return sum(len(path.read_text().splitlines()) for path in sources(*folders, ends=ends))


def classes(pattern: str, *folders: str) -> list[str]:
    """Names of the classes whose name matches, with the file."""
    nodes = ((path, node) for path in sources(*folders) for node in ast.walk(ast.parse(path.read_text())))
    return [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path, node in nodes
        if isinstance(node, ast.ClassDef) and re.search(pattern, node.name)
    ]


def carriers() -> list[str]:
    """The types on the way of a user's table, from the file to a page."""
    return [name for name in classes(r"^[A-Z]", *TABLE) if not re.search(NO_CARRIER, name.partition(":")[2])]


def moved(query: dict[str, str], setting: str, values: tuple[object, object]) -> tuple[str, str]:
    """What one move of a setting on an open page does; runs are inline.

    Returns
    -------
    entered : str
        Modules of the product, and calls of their functions.
    released : str
        Draws of a private scheme's release, and how many schemes these are.
    """
    from dashboard.session.app import App

    app, modules, drawn = App(query), Counter(), Counter()
    app.page.set({setting: values[0]})  # What happens once only does not count.

    def note(frame, event, argument):
        module = frame.f_globals.get("__name__", "")
        if event != "call" or module.split(".")[0] not in PRODUCT:
            return
        modules[module] += 1
        made = frame.f_locals.get("self") if frame.f_code.co_name == "__init__" else None
        if type(made).__name__ == "Release" and frame.f_locals.get("privacy") is not None:
            drawn[frame.f_locals["scheme"]] += 1

    sys.setprofile(note)
    try:
        app.page.set({setting: values[1]})
    finally:
        sys.setprofile(None)
    return f"{len(modules)} / {modules.total()}", f"{drawn.total()} of {len(drawn)}"


def settable(records: tuple[str, ...] = RECORDS, pages: str = "Page") -> set[str]:
    """Names that the author of a page may set: fields of the records, and class attributes of the pages."""
    nodes = (node for path in sources(*AUTHORED) for node in ast.walk(ast.parse(path.read_text())))
    authored = [
        node
        for node in nodes
        if isinstance(node, ast.ClassDef) and (node.name in records or (pages and node.name.endswith(pages)))
    ]
    return {name for node in authored for name in _attributes(node)}


def _attributes(node):
    """Names that the body of a class states: all of a dataclass, elsewhere those with a value or of the class."""
    record = any("dataclass" in ast.unparse(one) for one in node.decorator_list)
    for line in node.body:
        if isinstance(line, ast.Assign):
            names = [target.id for target in line.targets if isinstance(target, ast.Name)]
        elif isinstance(line, ast.AnnAssign):
            states = record or line.value is not None or "ClassVar" in ast.unparse(line.annotation)
            names = [line.target.id] if states else []
        else:
            names = []
        yield from (name for name in names if name[0] != "_")


def builders() -> list[str]:
    """Functions of data that make an `OwnTable`."""
    functions = (
        node
        for path in sources("data")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    )
    return [
        function.name
        for function in functions
        if any(
            isinstance(n, ast.Call) and getattr(n.func, "id", "") == "OwnTable" for n in ast.walk(function)
        )
    ]


def vague() -> Counter[str]:
    """How often each word of `VAGUE` is a name in the product's code: of a variable, argument, attribute or function."""
    found: Counter[str] = Counter()
    for path in sources(*PRODUCT):
        for node in ast.walk(ast.parse(path.read_text())):
            names = (getattr(node, part, None) for part in ("id", "arg", "attr", "name"))
            found.update(name for name in names if name in VAGUE)
    return found


def first_answer(page: str) -> int:
    """Bytes of the answer to a page's first request, compressed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "panel",
        "serve",
        "dashboard",
        "--address",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": {**os.environ, "PYTHONPATH": path},
    }
    server = subprocess.Popen(command, cwd=ROOT, **quiet)
    request = Request(f"http://127.0.0.1:{port}/dashboard?page={page}", headers={"Accept-Encoding": "gzip"})
    try:
        for _ in range(900):
            try:
                with urlopen(request, timeout=300) as answer:
                    body, packed = answer.read(), answer.headers.get("Content-Encoding") == "gzip"
                    return len(body if packed else gzip.compress(body))
            except URLError:
                time.sleep(0.2)
        raise TimeoutError("the server did not answer")
    finally:
        server.terminate()
        server.wait(20)


def flags() -> list[str]:
    """The fields of the text around a page's picture."""
    from dashboard.page.view_state import ViewState

    return sorted(set(ViewState.param) - {"name"})


def noise_functions() -> list[str]:
    """Functions with which the scheme `conventional` states its noise."""
    stating = {"release", "discrete", "average_std", "parts", "planned_std", "noise"}
    tree = ast.parse((ROOT / "core/schemes/known/conventional.py").read_text())
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "Scheme"]
    return [word.arg for word in calls[0].keywords if word.arg in stating]


def side_by_side() -> list[tuple[int, str]]:
    """Modules of every folder of the product, most first."""
    found = Counter(str(path.parent.relative_to(ROOT)) for path in sources(*PRODUCT) if path.name[:2] != "__")
    return [(count, folder) for folder, count in found.most_common(5)]


def there(places: dict[str, tuple[str, str]]) -> int:
    """How many of these files still hold their word."""
    return sum(place(path).is_file() and word in place(path).read_text() for path, word in places.values())


def sentence(node: ast.AST) -> bool:
    """Whether a text of three words or more stands in it."""
    texts = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return any(len(re.findall(r"(?<![\w<&#./'=-])[A-Za-zεδ]+(?=[ ,.:;!?]|$)", text)) >= 3 for text in texts)


def quoting(path: Path) -> tuple[int, int]:
    """Asserts that quote a sentence: `assert`, `match=` and helpers of the tests; and further ones in tables of cases."""
    tree = ast.parse(path.read_text())
    helpers = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name[:5] != "test_"}
    asserted = [n.test for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    asserted += [word.value for n in calls for word in n.keywords if word.arg == "match"]
    inside = {id(n) for one in asserted for n in ast.walk(one)}
    helping = [
        n
        for n in calls
        if getattr(n.func, "id", getattr(n.func, "attr", "")) in helpers and id(n) not in inside
    ]
    cases = [n for n in tree.body if isinstance(n, ast.Assign)]
    cases += [d for n in tree.body if isinstance(n, ast.FunctionDef) for d in n.decorator_list]
    entries = [
        e for one in cases for n in ast.walk(one) if isinstance(n, ast.Tuple | ast.Dict) for e in _entries(n)
    ]
    return sum(map(sentence, [*asserted, *helping])), sum(map(sentence, entries))


def _entries(node):
    """The texts that stand directly in a tuple or as values of a dict."""
    found = node.elts if isinstance(node, ast.Tuple) else node.values
    return [one for one in found if isinstance(one, ast.Constant | ast.JoinedStr)]


def private_reads(path: Path) -> int:
    """Reads of attributes that begin with one underscore, but of `self` and `cls`."""
    nodes = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)]
    return sum(
        n.attr[0] == "_" and n.attr[:2] != "__" and getattr(n.value, "id", "") not in ("self", "cls")
        for n in nodes
    )


def rows() -> list[tuple[str, object, str]]:
    """Every measure: what, how much, how it is counted."""
    python = "".join(path.read_text() for path in sources("dashboard"))
    tests = list(sources("tests"))
    # Programs of `tests/benchmarks` print, and assert nothing.
    judging = [path for path in tests if "benchmarks" not in path.parts]
    quotes, more = map(sum, zip(*map(quoting, judging), strict=True))
    of_pages = sum(quoting(path)[0] for path in tests if "dashboard" in path.relative_to(ROOT).parts)
    kinds: Callable[[str], int] = lambda pattern: len(classes(pattern, "dashboard"))  # noqa: E731
    side = ", ".join(f"{count} ({folder})" for count, folder in side_by_side())
    profiled = "`sys.setprofile`: calls in the product while one setting moves on the open page"
    moves = (
        ({"page": "pca", "repeats": "1"}, "epsilon", (2.0, 3.0)),
        ({"page": "regression", "repeats": "1"}, "epsilon", (2.0, 3.0)),
        ({"page": "gain"}, "sites", (12, 11)),
        ({"page": "limits", "collusion": "1"}, "colluders", (3, 4)),
    )
    # Each in a process of its own: what a process has computed once it remembers.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as fresh:
        (pca, drawn), (regression, drawn_too), (gain, _), (limits, _) = fresh.map(
            moved, *zip(*moves, strict=True)
        )
    frames = {Path(name.partition(":")[0]).parent for name in classes(FRAME, *AUTHORED)}
    words = vague()
    often = ", ".join(f"{word} {count}" for word, count in words.most_common())
    return [
        ("modules / calls, ε on PCA", pca, f"{profiled}, ε 2 to 3"),
        ("modules / calls, ε on Regression", regression, "the same"),
        ("modules / calls, S on Gain", gain, "the same, S 12 to 11"),
        ("modules / calls, c on Limits", limits, "the same, 3 to 4"),
        ("private releases a move of ε", f"{drawn} schemes, {drawn_too}", "`Release` objects, on PCA and on Regression"),
        ("names that a page's author may set", len(settable()), "fields of `RECORDS`, attributes of `…Page`, in `AUTHORED`"),
        ("— and of the parts that these hold", len(settable(PARTS, "") - settable()), "further ones, of `PARTS`"),
        ("frames of a page", len(frames), "folders of `AUTHORED` with a class named as `FRAME` says"),
        ("builders of a user's table", len(builders()), "functions of data that call `OwnTable(…)`"),
        ("flags", len(flags()), "parameters of `ViewState`"),
        ("watchers", len(re.findall(r"\.watch\(|watch=True", python)), "`.watch(` and `watch=True` in dashboard"),
        ("private English words", words.total(), f"names in the product's code: {often}"),
        ("mechanisms that ask", there(ASKS), "of the list `ASKS`"),
        ("ways to draw", sum(place(path).exists() for path in DRAWS.values()), "of the list `DRAWS`"),
        ("kinds of plan", kinds(r"Plan$"), "classes of dashboard named `…Plan`"),
        ("kinds of spot", kinds(r"Spot$"), "classes of dashboard named `…Spot`"),
        ("kinds of question", kinds(r"Question$"), "classes of dashboard named `…Question`"),
        ("functions that state a scheme's noise", len(noise_functions()), "those that `conventional` hands to `Scheme`"),
        ("types on the way of a table", len(carriers()), "public classes in `TABLE`, but of `NO_CARRIER`"),
        ("notations of one column", there(NOTATIONS), "of the list `NOTATIONS`"),
        ("asserts that quote a sentence", quotes, "three words or more in `assert`, `match=`, or a helper's argument"),
        ("— of these in tests/dashboard", of_pages, "the same"),
        ("— and in tables of cases", more, "such texts in tuples and dicts at the head of a module or in `parametrize`"),
        ("reads of private attributes", sum(map(private_reads, tests)), "`._name` in tests, but of `self` and `cls`"),
        ("modules side by side", side, "of one folder, without `__init__` and `__main__`"),
        ("bytes of a first answer", first_answer("pca"), "to `?page=pca` of a new server, with gzip"),
        ("lines of dashboard", lines("dashboard"), "Python"),
        ("lines of the product", lines(*PRODUCT), f"Python of {', '.join(PRODUCT)}"),
        ("lines of tests", lines("tests"), "Python"),
    ]  # fmt: skip


def parts() -> list[tuple[str, int, int, int]]:
    """The base and each pack: modules, lines of Python, and test functions."""
    home = ROOT / "dashboard" / "packs"
    packs = sorted(path.parent for path in home.glob("*/pack.toml"))
    found = [(f"pack {path.name}", path, ROOT / "tests" / "packs" / path.name) for path in packs]
    found = [(name, ROOT / name, ROOT / "tests" / name) for name in ("core", "data")] + found
    counted = [(name, *_counted([place]), _tests([tests])) for name, place, tests in found]
    beside = [path for path in (ROOT / "dashboard").iterdir() if path != home]
    base = (
        "base of dashboard",
        *_counted([*beside, home / "__init__.py"]),
        _tests([ROOT / "tests" / "dashboard"]),
    )
    return [base, *counted]


def _counted(places):
    files = [str(path.relative_to(ROOT)) for path in places]
    return len(list(sources(*files))), lines(*files)


def _tests(places):
    text = "".join(path.read_text() for path in sources(*(str(one.relative_to(ROOT)) for one in places)))
    return len(re.findall(r"^(?:async )?def test_", text, re.MULTILINE))


def table(head: tuple[str, ...], body: list[tuple]) -> str:
    """A table of Markdown; ValueError unless every row has the header's cells."""
    text = [[str(cell).replace("|", "\\|") for cell in row] for row in (head, ("---",) * len(head), *body)]
    if wrong := [row for row in text if len(row) != len(head)]:
        raise ValueError(f"rows must have {len(head)} cells each, got {wrong}")
    return "\n".join(f"| {' | '.join(row)} |" for row in text)


def main() -> None:
    """Print the tables."""
    print(table(("measured", "result", "how"), rows()))
    print()
    print(table(("part", "modules", "lines of Python", "tests"), parts()))


if __name__ == "__main__":
    main()
