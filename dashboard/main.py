"""The script that `panel serve dashboard` runs for every session."""

import html
import importlib.util
import sys
import traceback

if importlib.util.find_spec("dashboard") is None:
    # In a source checkout the packages are beside this folder and may not be installed.
    from pathlib import Path

    sys.path.append(str(Path(__file__).resolve().parents[1]))

try:
    from dashboard.compat.own_packages import require_own_packages

    require_own_packages()
    import panel as pn

    from dashboard.compat.widgets.bad_messages import refuse_in_words
    from dashboard.compat.widgets.document_lock import keep_lock
    from dashboard.compat.widgets.model_defaults import remember_defaults
    from dashboard.session.app import App
    from dashboard.state import errors

    keep_lock()
    remember_defaults()
    refuse_in_words()
    pn.extension("tabulator", exception_handler=errors.handle)
    App().servable()
except Exception as error:
    # Panel would show a blank page for an exception here; show the error with Bokeh only.
    traceback.print_exc()
    from bokeh.io import curdoc
    from bokeh.models import Div

    missing = isinstance(error, ModuleNotFoundError)
    help_text = "Install the package with its dependencies: <code>pip install -e .</code>" if missing else ""
    curdoc().clear()
    curdoc().title = "CAPE Lab could not start"
    curdoc().add_root(
        Div(
            text=f"<h1>CAPE Lab could not start</h1><p>{html.escape(type(error).__name__)}: "
            f"{html.escape(str(error))}</p><p>{help_text}</p>",
            styles={"font": "16px/1.5 system-ui, sans-serif", "margin": "10vh auto", "max-width": "40em"},
        )
    )
