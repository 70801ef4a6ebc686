"""What a page shows around its picture: text, guarantee, lecture step, and what is still of earlier settings."""

from __future__ import annotations

import param

from dashboard.guarantee.guarantee import Guarantee
from dashboard.page.lesson import Step


class ViewState(param.Parameterized):
    """What stands around the picture of a page; the shell shows it."""

    words = param.String("", doc="HTML.")
    problem = param.String("", doc="Plain text.")
    guarantee = param.ClassSelector(class_=Guarantee, default=None)
    step = param.ClassSelector(class_=Step, default=None, doc="The current step of a lecture.")
    absent = param.List([], doc="Names of controls that have no effect at the moment; they are hidden.")
    most = param.Dict({}, doc="The largest values that the records allow, by the name of the control.")
    shown = param.Integer(0, doc="How many pictures were shown so far.")
    pale = param.Boolean(False, doc="Whether the picture and its words still belong to earlier settings.")
    leaves = param.Boolean(False, doc="Whether another slide of a lecture takes the place of this one.")
