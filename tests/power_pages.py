"""A page of the power method as a visitor opens it, all of its runs made, and the numbers of its program."""

import pandas as pd

from dashboard.state.controls import Controls


def opened(kind, values=(), **shared):
    controls = Controls()
    controls.param.update(repeats=2, **shared)
    page = kind(controls)
    page.content()
    page.set(dict(values))
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page


def run_script(page):
    namespace = {}
    exec(page.script(), namespace)
    return pd.DataFrame(namespace["columns"])
