"""Pictures for notebooks and programs: functions that turn results of `core` into HoloViews elements.

Every function returns an element, which can be combined with others by `*` and `+` and changed by `.opts`. Colours,
markers and dashes of schemes are those of the app's pages. Load a backend first, in a line that everybody sees:
``hv.extension("bokeh", inline=True)`` for a notebook, ``hv.extension("matplotlib")`` for a printed figure.
"""

from dashboard.packs.notebook.plots.comparing import comparison, lines
from dashboard.packs.notebook.plots.components import classes, components, topics
from dashboard.packs.notebook.plots.releases import averaging, errors, tradeoffs

__all__ = ["averaging", "classes", "comparison", "components", "errors", "lines", "topics", "tradeoffs"]
