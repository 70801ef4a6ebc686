"""What the page Averaging says about one picture: the sentence at the end of its play, and the text below."""

from __future__ import annotations

from dashboard.pages.learn.averaging.model import AveragingPicture
from dashboard.problems.protocol import WHOLE, ProtocolRun, equal_privacy_text
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import equals, number_text, short_text

_FAIR = 1 + 1e-9  # Noise of a message over that of a conventional one, up to rounding.
_HARDLY = 1.005  # Up to here three digits show no difference.


def verdict(run: ProtocolRun, *, message: float, aggregator: float) -> str:
    """The noise of the average under the chosen share of zero-sum noise, and its price; stars enclose what is bold.

    Parameters
    ----------
    message, aggregator : float
        The exact δ at the target's ε of whoever sees one message, or all.
    """
    error = short_text(run.average_std)
    if run.share == 0:
        return (
            f"*The conventional scheme's typical error is {error}.* All messages together tell "
            f"no more about a record than one: {equals('δ', aggregator)}."
        )
    return (
        f"*{_whose('typical error', run)} is {error}*, not {short_text(run.conventional_std)}: "
        f"*{_ratio(run)} times smaller*{_price(run, message, aggregator)}"
    )


def below(picture: AveragingPicture) -> str:
    """HTML of the text below the play: the errors of the first run, and the ratio at equal privacy."""
    run, sites = picture.run, len(picture.run.values)
    which = "the first" if run.further["cape"].size else "this"
    cape, conventional = (
        short_text(abs(value - run.truth), digits=2) for value in (run.average, run.conventional)
    )
    first = (
        f"In {which} run {_whose('average', run, start=False)} is off by <b>{cape}</b>, the conventional one by "
        f"<b>{conventional}</b>."
    )
    link = f"<a href='?page=gain&amp;sites={sites}&amp;colluding=0'>see Gain</a>"
    if run.share == 0:
        return paragraph(
            first, "Both have the same distribution of errors; the noise of the two runs differs."
        )
    if run.louder > _FAIR:
        loud = run.louder > _HARDLY
        more = f"{number_text(run.louder)} times the noise" if loud else "hardly more noise"
        return paragraph(
            first,
            f"{_whose('messages', run)} have {more}, because all of them together may "
            f"not tell more than the target allows: {link}.",
        )
    like = ", as if one curator held all records" if run.share == WHOLE else ""
    return paragraph(
        first,
        f"{_whose('typical error', run)}, the standard deviation over many runs, is {_ratio(run)} times smaller if "
        f"only single messages are seen{like}. At equal privacy of all messages it is "
        f"{equal_privacy_text(sites, run.share)} times smaller: {link}.",
    )


def _whose(what, run, *, start=True):
    """CAPE's, or that at the slider's place; `start` at the beginning of a sentence."""
    if run.share == WHOLE:
        return f"CAPE's {what}"
    return f"At {run.share} % the {what}" if start else f"the {what} at {run.share} %"


def _ratio(run):
    if run.share == WHOLE and run.louder <= _FAIR:
        return equals(f"√{len(run.values)}", len(run.values) ** 0.5)
    return number_text(run.conventional_std / run.average_std)


def _price(run, message, aggregator):
    """The end of the sentence: what the smaller error costs."""
    if run.louder > _HARDLY:
        return (
            f", with {number_text(run.louder)} times the noise in every message: all of them together have "
            f"{equals('δ', aggregator)}."
        )
    if run.louder > _FAIR:
        return f". All messages together have {equals('δ', aggregator)}."
    alone = " if only single messages are seen"
    if number_text(aggregator) == number_text(message):
        return f"{alone}. All messages together tell hardly more than one: {equals('δ', aggregator)}."
    return (
        f"{alone}. If all are, δ, the part of the promise that may fail, is "
        f"{number_text(aggregator / message, digits=2)} times as large."
    )
