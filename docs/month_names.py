"""Write data/columns/month_names.py: the months of eleven languages, from the Unicode CLDR as Babel has it.

pip install babel
python -m docs.month_names
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from babel import Locale

from data.columns.dates import bare

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "ja", "zh")
PLACE = Path(__file__).parent.parent / "data" / "columns" / "month_names.py"
HEAD = '''"""Names of months, in full and short, as `data.columns.dates.bare` has them; made by docs/month_names.py.

From the Unicode CLDR, in {languages}. 0 holds names that two languages read differently.
"""

NAMES = {{
'''


def names() -> dict[str, set[int]]:
    """Every name with the months that it may mean."""
    found: dict[str, set[int]] = defaultdict(set)
    for language in LANGUAGES:
        for forms in Locale.parse(language).months.values():
            for width in ("wide", "abbreviated"):
                for month, name in forms[width].items():
                    if not name[0].isdigit():  # Japanese months are numbers.
                        found[bare(name)].add(month)
    return found


def main() -> None:
    """Write the table, one month a line."""
    months: dict[int, list[str]] = {month: [] for month in range(13)}
    for name, meant in sorted(names().items()):
        months[min(meant) if len(meant) == 1 else 0].append(name)
    lines = "".join(f'    {month}: "{" ".join(found)}",\n' for month, found in months.items())
    PLACE.write_text(HEAD.format(languages=", ".join(LANGUAGES)) + lines + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
