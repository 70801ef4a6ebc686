"""Record what addresses of the app open, before its pages are built anew.

    python tests/recorded/record.py             all: done once, at the commit that the file names
    python tests/recorded/record.py ADDRESS …   these anew: where a fault that was mended changes what they show

All are every preset, every slide of a lecture, every link of the guides and of the findings, and `own_settings.txt`. Of
an address whose numbers take long only the settings are recorded, and it is recorded once more with one repetition.
"""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
FILE = HERE / "addresses.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from recorded.opened import opened  # noqa: E402

from dashboard.packs.papers.finding_links import LIVE  # noqa: E402
from dashboard.pages import PAGES  # noqa: E402
from dashboard.state.controls import Controls  # noqa: E402

SECONDS = 4.0  # Of processor time that the numbers of an address may take; half of it on a quiet machine.
ROWS = 8  # Of a table that are kept, at most.
NUMBERS = 4  # Columns of numbers that are kept, at most.
LONGEST = 24  # Letters of a text that is kept: longer ones are words, which may change.
_KINDS = {kind.name: kind for kind in PAGES}
GUIDES = ("README.md", "docs/teaching.md", "docs/serving.md", "docs/research.md")


class Late(BaseException):
    """The numbers take too long; no handler of the app takes this for an error of a job."""


def presets() -> Iterator[str]:
    """Every page as it opens, then with each of its presets."""
    for kind in PAGES:
        yield f"?page={kind.name}"
        for preset in kind.presets:
            yield _address(kind.name, preset.values)


def slides() -> Iterator[str]:
    """Every slide of every lecture."""
    for kind in PAGES:
        for place, _ in enumerate(kind.steps, 1):
            yield f"?page={kind.name}&lecture={place}"


def links() -> Iterator[str]:
    """What guides and findings link to."""
    for guide in GUIDES:
        yield from re.findall(r"\?page=[\w=&.,:;%+-]+", (ROOT / guide).read_text())
    for page, values in LIVE.values():
        yield _address(page, values)


def own_settings() -> Iterator[str]:
    """The lines of `own_settings.txt`."""
    for line in (HERE / "own_settings.txt").read_text().splitlines():
        if line.startswith("?"):
            yield line


def addresses() -> list[str]:
    """All addresses, each once."""
    return list(dict.fromkeys(("", *presets(), *slides(), *links(), *own_settings())))


def recorded(line: str) -> dict:
    """What an address opens, and the seconds that it took; without rows where that is too long."""
    address, registered = line.removesuffix(" # registered"), line.endswith(" # registered")
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, 0.2)  # Again, where an exception is swallowed.
    try:
        page, settings, rows = opened(address, registered=registered)
        found = {"page": page, "settings": settings, **kept(rows)}
    except Late:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        page, settings, _ = opened(address, numbers=False, registered=registered)
        found = {"page": page, "settings": settings}
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    took = round(time.process_time() - begun, 1)
    return {"address": address, "registered": registered, **found, "seconds": took}


def kept(rows: list[dict] | None) -> dict:
    """Rows spread over a table, and of them the short texts and the first numbers."""
    if not rows:
        return {"rows": rows}
    names = [n for n in rows[0] if any(isinstance(row[n], str) for row in rows)]
    texts = [n for n in names if all(len(str(row[n])) <= LONGEST for row in rows)]
    numbers = [n for n in rows[0] if n not in names and n not in ("repeats", "runs")][:NUMBERS]
    places = sorted({round(i * (len(rows) - 1) / (ROWS - 1)) for i in range(ROWS)})
    columns = [*texts, *numbers]
    return {"columns": columns, "rows": [[_plain(rows[place][n]) for n in columns] for place in places]}


def _plain(value):
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _address(name, values):
    page = _KINDS[name](Controls())
    page.set(dict(page.opens) | dict(values))  # It is not in front: nothing is computed.
    return page.search()


def main() -> None:
    """Record all addresses, or those that are named."""

    def late(*_):
        raise Late

    signal.signal(signal.SIGVTALRM, late)
    if len(sys.argv) > 1:
        return again(set(sys.argv[1:]))
    made = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    lines, found, bare = addresses(), [], {}
    for line in lines:
        one = recorded(line)
        print(f"{one['seconds']:5} s  {len(one.get('rows') or ()):2} rows  {line[:150]}", flush=True)
        bare.setdefault(one["page"], one["settings"])
        found.append(one | {"settings": _other(one["settings"], bare[one["page"]])})
        once = re.sub(r"&repeats=\d+", "", line) + "&repeats=1"
        if "rows" not in one and "repeats" in one["settings"] and once not in lines and "lecture" not in line:
            lines.append(once)
    _write(made.stdout.strip(), bare, found)


def again(names: set[str]) -> None:
    """Record some of the addresses that the file has anew; the others stay."""
    kept = json.loads(FILE.read_text())
    bare, found = kept["pages"], []
    for one in kept["addresses"]:
        if one["address"] in names:
            one = recorded(one["address"] + (" # registered" if one["registered"] else ""))
            one["settings"] = _other(one["settings"], bare[one["page"]])
        found.append(one)
    _write(kept["commit"], bare, found)


def _write(commit, bare, found):
    """One line an address, so that a change of one is a change of one line."""
    pages = [f"{json.dumps(name)}: {_text(settings)}" for name, settings in bare.items()]
    text = '{{"commit": "{}",\n"pages": {{\n{}\n}},\n"addresses": [\n{}\n]}}\n'
    FILE.write_text(text.format(commit, ",\n".join(pages), ",\n".join(map(_text, found))))


def _other(settings, bare):
    return {name: value for name, value in settings.items() if value != bare.get(name)}


def _text(value):
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
