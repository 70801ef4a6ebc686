"""A Bokeh model as a part of a page, without the pane that Panel would wrap around it."""

from __future__ import annotations

from bokeh.models import LayoutDOM
from panel.io.model import remove_root
from panel.reactive import Reactive


class Bare(Reactive):
    """A Bokeh model as a part of a page.

    Panel's own pane holds a row as well, and watches forty parameters of both: three times the memory of the model,
    and a change of its text takes many times as long. Of this one `visible` and `styles` can be changed; all else is
    changed on the model.

    Attributes
    ----------
    object : bokeh.models.LayoutDOM
    """

    _synced_params = ()

    def __init__(self, model: LayoutDOM):
        # The frame's theme adds its style sheets to those that it finds here.
        sheets, styles = list(model.stylesheets), dict(model.styles)
        super().__init__(stylesheets=sheets, styles=styles, sizing_mode=model.sizing_mode)
        self.object = model
        self.param.watch(lambda event: setattr(model, event.name, event.new), ["styles", "visible"])

    def _get_model(self, doc, root=None, parent=None, comm=None):
        if self.object.document not in (None, doc):
            remove_root(self.object, doc)
        self._models[(root or self.object).ref["id"]] = self.object, parent
        return self.object
