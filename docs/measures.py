"""How plural the code is: the measures by which it is rebuilt. `python docs/measures.py` prints them as a table.

Every number is counted from the source or from a profiled page, as the column on the right says; none is kept by hand.
A named list, as of what asks, holds what was found before the pages were built anew: what is gone no longer counts.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("CAPE_LAB_WORKERS", "threads")
PRODUCT = ("core", "data", "dashboard")
WEB = (".js", ".css", ".html")
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


def sources(*folders: str, ends: tuple[str, ...] = (".py",)) -> Iterator[Path]:
    """The files of folders; a name that is missing has none."""
    for folder in folders:
        place = ROOT / folder
        found = [place] if place.is_file() else sorted(place.rglob("*"))
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


def entered(query: dict[str, str], setting: str, values: tuple[object, object]) -> str:
    """Modules of the product, and calls of their functions, that one move of a setting enters; runs are inline."""
    from dashboard.session.app import App

    app, found = App(query), Counter()
    app.page.set({setting: values[0]})  # What happens once only does not count.

    def note(frame, event, argument):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.split(".")[0] in PRODUCT:
            found[module] += 1

    sys.setprofile(note)
    try:
        app.page.set({setting: values[1]})
    finally:
        sys.setprofile(None)
    return f"{len(found)} / {found.total()}"


# What a page's author states: records, and classes with attributes that he may set.
STATED = (
    "Sheet",
    "Comparison",
    "Facts",
    "Description",
    "SessionPage",
    "ViewedPage",
    "SheetPage",
    "ComparePage",
    "Page",
    "OpenPage",
)
HELD = ("Work", "Calls", "Sweep", "Look", "Law", "Result", "Curve", "Model", "OwnTableModel")
NOT_STATED = {
    "error",
    "model",
    "controls",
}  # Of facts, a pack's reader sets the first; a page makes the others.


def stated(*names: str) -> set[str]:
    """Public fields of records, and class attributes with a value or marked `ClassVar`, of the classes so named."""
    found = set()
    for path in sources("dashboard/page", "dashboard/sheet", "dashboard/compare"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.name in names:
                found |= {name for name in _fields(node) if name[0] != "_"}
    return found


def contract() -> set[str]:
    """The names that a page's author may set: of `Page`, its record, its facts and `Sheet`."""
    return stated(*STATED) - NOT_STATED | {"model"}


def _fields(node):
    record = any("dataclass" in ast.unparse(one) for one in node.decorator_list)
    for one in node.body:
        if isinstance(one, ast.AnnAssign):
            if record or one.value is not None or "ClassVar" in ast.unparse(one.annotation):
                yield one.target.id
        elif isinstance(one, ast.Assign):
            yield from (target.id for target in one.targets if isinstance(target, ast.Name))


def frames() -> int:
    """Classes that lay out the parts of a page: a frame has one `Board`."""
    return len(classes("^Board$", "dashboard/sheet", "dashboard/compare"))


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
    return sum(
        (ROOT / path).is_file() and word in (ROOT / path).read_text() for path, word in places.values()
    )


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
    profiled = "`sys.setprofile`: calls in the product while one setting moves on the open page, ε 2 to 3, S 12 to 11"
    web = lines("dashboard", ends=WEB)
    regression, colluding = {"page": "regression", "repeats": "1"}, {"page": "limits", "collusion": "1"}
    return [
        ("modules / calls, ε on Regression", entered(regression, "epsilon", (2.0, 3.0)), profiled),
        ("modules / calls, S on Gain", entered({"page": "gain"}, "sites", (12, 11)), profiled),
        ("modules / calls, ε on PCA", entered({"page": "pca"}, "epsilon", (2.0, 3.0)), profiled),
        ("modules / calls, c on Limits", entered(colluding, "colluders", (3, 4)), profiled),
        ("frames of a page", frames(), "classes `Board` in dashboard/sheet and dashboard/compare"),
        ("names that a page's author may set", len(contract()), "fields and class attributes of the list `STATED`"),
        ("— and of the parts that these hold", len(stated(*HELD) - contract()), "further ones, of the list `HELD`"),
        ("flags", len(flags()), "parameters of `ViewState`"),
        ("watchers", len(re.findall(r"\.watch\(|watch=True", python)), "`.watch(` and `watch=True` in dashboard"),
        ("mechanisms that ask", there(ASKS), "of the list `ASKS`"),
        ("ways to draw", sum((ROOT / path).exists() for path in DRAWS.values()), "of the list `DRAWS`"),
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
        ("lines of dashboard", lines("dashboard") + web, f"Python, and {web} of JS, CSS and HTML"),
        ("lines of the product", lines(*PRODUCT, ends=(".py", *WEB)), ", ".join(PRODUCT)),
        ("lines of tests", lines("tests"), "Python"),
    ]  # fmt: skip


def parts() -> list[tuple[str, int, int, int, int]]:
    """The base and each pack: modules, lines of Python, lines of JS, CSS and HTML, and test functions."""
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
    return len(list(sources(*files))), lines(*files), lines(*files, ends=WEB)


def _tests(places):
    text = "".join(path.read_text() for path in sources(*(str(one.relative_to(ROOT)) for one in places)))
    return len(re.findall(r"^(?:async )?def test_", text, re.MULTILINE))


def main() -> None:
    """Print the tables."""
    print("| measured | found | how |\n|---|---|---|")
    for what, found, how in rows():
        print(f"| {what} | {found} | {how} |")
    print("\n| part | modules | lines of Python | JS, CSS and HTML | tests |\n|---|---|---|---|---|")
    for part in parts():
        print(f"| {' | '.join(map(str, part))} |")


if __name__ == "__main__":
    main()
