"""What the page Sites says: who pays for a strict ε, or what a site that drops out leaves."""

from __future__ import annotations

import math

import numpy as np

from dashboard.guarantee import observer
from dashboard.packs.consortium.sites.model import SitesPicture
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text, exact_text, exactly, number_text, percent_text
from data.check import grouped

_LEAST_TIMES = 2.0  # A smaller ratio is not translated into that of the pages on equal sites.
_AVERAGE = "CAPE's average"
_SAME = 1.005  # A smaller factor is none.


def headline(picture: SitesPicture) -> str:
    """CAPE's noise beside the conventional scheme's; after a site asked for another ε, who pays for it. As HTML."""
    lost = dropped(picture)
    if lost:
        said = f"Without {lost}, {gain(picture, 'CAPE', bold=True)}."
    elif picture.eased is not None:
        said = _who_pays(picture)
    else:
        told = next((plain(row.site) for row in picture.rows if row.colludes), None)
        said = (
            "" if told is None else f"{_begun(told)} colludes: it shares what it knows with the aggregator. "
        )
        said += f"{gain(picture, _AVERAGE, bold=True)}."
    return ("<b>Too little noise for some site's privacy target.</b> " if short(picture) else "") + said


def _who_pays(picture):
    row = picture.rows[picture.eased.site]
    held = percent_text(row.size / sum(one.size for one in picture.rows), digits=2)
    whose = f"{_begun(plain(row.site))} has {held} of the records"
    its = f"its {exactly('ε', row.epsilon)} instead of {exact_text(picture.eased.epsilon)}"
    if picture.dearer < _SAME:
        return f"<b>Nobody pays.</b> {whose}, and {its} gives CAPE's average no more noise."
    gets = f"<b>{times_text(picture.dearer)} times the noise variance</b>"
    return f"<b>Everyone pays.</b> {whose}, but {its} gives everyone's average with CAPE {gets}."


def _begun(words):
    """Words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def gain(picture: SitesPicture, who: str, *, bold: bool = False) -> str:
    """CAPE's noise beside that of the conventional scheme, and against whom both keep the targets: a clause."""
    less = _share(picture.gain)
    if not less:
        than = "about the noise variance of the conventional scheme"
    else:
        than = f"{less} {'less' if picture.gain >= 1 else 'more'} noise variance"
        than = f"{f'<b>{than}</b>' if bold else than} than the conventional scheme"
    return f"{who} has {than}{'' if short(picture) else f', {_against(picture)}'}"


def _share(ratio):
    """By how much, in per cent, a variance is below another or above it; empty if they are nearly alike."""
    part = 1 - 1 / ratio if ratio >= 1 else 1 / ratio - 1
    if part < 0.005:
        return ""
    # Beyond 99 % whole per cents would call everything gone.
    return f"{100 * part:.0f} %" if not 0.99 < part < 1 else percent_text(part)


def times_text(ratio: float) -> str:
    """How many times, with the digits that the two decimals of the bars' numbers leave it."""
    return number_text(ratio, digits=2 if ratio < 10 else 3)


def dropped(picture: SitesPicture) -> str:
    """Who dropped out, as HTML; empty if nobody did."""
    lost = [row.site for row in picture.rows if row.drops]
    return plain(lost[0]) if len(lost) == 1 else count_text(len(lost), "site") if lost else ""


def _against(picture):
    """From whom the noise protects."""
    if picture.against == "message":
        return "but every target is kept only if nobody sees more than the result or one message"
    return f"even against {observer.name(picture.against, picture.colluding)}"


def short(picture: SitesPicture) -> bool:
    """Whether the design misses a privacy target."""
    promised = np.array([row.delta for row in picture.rows]) * (1 + 1e-6)
    seen = (picture.exposed.public, getattr(picture.exposed, picture.against))
    with np.errstate(invalid="ignore"):
        return any(bool((delta > promised).any()) for delta in seen)


def noise_text(noise: float) -> str:
    """A variance in the picture's unit: two decimals, or two digits of a smaller one."""
    return f"{noise:.2f}" if noise >= 0.01 else number_text(noise, digits=2)


def beside(picture: SitesPicture) -> str:
    """Why the answer is as it is: what stands between the average and the sites after the button was pressed."""
    lost = [row for row in picture.rows if row.drops]
    if lost:
        whose = "its" if len(lost) == 1 else "their"
        return (
            f"The noise that was to cancel {whose} noise stays: the blue part of CAPE. "
            f"Every other site's noise is the same and weighs more: {_left(picture)} are left."
        )
    site = plain(picture.rows[picture.eased.site].site)
    if noisiest(picture) != site:
        return ""
    stays = f"{picture.noise(picture.std['cape']):.2f}"
    less = f" {site}'s noise hides the others, too: they send less noise." if _add_less(picture) else ""
    return (
        f"The average and {site}'s message reveal equally much about {site}'s records. The yellow parts add up to {stays}, "
        f"the noise of both.{less}"
    )


def _add_less(picture):
    """Whether every other message has less noise than before the strict site asked."""
    before = np.delete((picture.eased.messages / picture.unit) ** 2, picture.eased.site)
    return bool((np.delete(np.add(*picture.parts), picture.eased.site) <= before / _SAME).all())


def _left(picture):
    """How much of the average is left after dropouts, in what it is weighted by."""
    amounts = [row.size if by_size(picture) else 1 for row in picture.rows]
    left = sum(amount for amount, here in zip(amounts, picture.left, strict=True) if here)
    return f"{grouped(left)} of {grouped(sum(amounts))} {'records' if by_size(picture) else 'sites'}"


def by_size(picture: SitesPicture) -> bool:
    """Whether each message is weighted by its site's records."""
    shares = picture.weights * sum(row.size for row in picture.rows)
    return all(math.isclose(share, row.size) for share, row in zip(shares, picture.rows, strict=True))


def noisiest(picture: SitesPicture) -> str:
    """Whose message carries as much noise as CAPE's average, as HTML; empty if no one's, as where sites drop out."""
    alike = np.isclose(np.add(*picture.parts), picture.noise(picture.std["cape"]), rtol=1e-6)
    if not alike.any():
        return ""
    return plain(picture.rows[alike.argmax()].site) if alike.sum() == 1 else "the noisiest site"


def deltas(picture: SitesPicture) -> str:
    """The δ of all sites, where they have one; empty else."""
    found = {row.delta for row in picture.rows}
    return f"All at {exactly('δ', found.pop())}." if len(found) == 1 else ""


def spread(picture: SitesPicture) -> str:
    """The picture's ratio as the pages on equal sites state it, if it is one."""
    if picture.gain < _LEAST_TIMES:
        return ""
    times, squared = number_text(math.sqrt(picture.gain)), times_text(picture.gain)
    return (
        f"<a href='?page=gain'>Gain</a> counts the standard deviation, which is {times} times smaller: "
        f"{times}² ≈ {squared}."
    )


def why_more(picture: SitesPicture) -> str:
    """Why the messages of CAPE carry more noise than conventional ones, if they do; else nothing."""
    if picture.against == "message" or not picture.left.all():
        return ""
    if np.add(*picture.parts).sum() < 1.01 * picture.noise(picture.std["conventional"]):
        return ""
    return (
        "CAPE's messages carry more noise than conventional ones. Whoever sees all of them knows that the blue parts sum "
        "to zero. So each site adds more."
    )


def as_long(picture: SitesPicture) -> str:
    """Why CAPE's average has as much noise as one curator's, or more, and as much as a site's message."""
    site = noisiest(picture)
    if not site:  # Its noise is a choice of the settings.
        return ""
    if f"{(picture.std['cape'] / picture.curator) ** 2:.2f}" == "1.00":
        why = "Everybody may see the average, so a curator must add as much, and CAPE's other noise cancels."
    else:
        why = "A curator shows nothing but the average."
    return (
        f"{why} CAPE's average and the message of {site} carry equally much noise. So each alone reveals equally much about "
        "a patient there."
    )


def weighted(picture: SitesPicture) -> str:
    """By what the messages are weighted, in a sentence."""
    if by_size(picture):
        by = "by its site's records"
    else:
        by = "as every other" if len({*picture.weights}) == 1 else "as the table says"
    return f"Every message is weighted {by}. Its bar is the variance of its noise in the average."
