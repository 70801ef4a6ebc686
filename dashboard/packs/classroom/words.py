"""The text of the class's screen: a sentence for every step, and lines on who learns what; stars enclose bold parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dashboard.packs.classroom.facts import Checked, Round, chance
from dashboard.packs.classroom.room import LEAST_PHONES, Room
from dashboard.state.number_text import at_least_text, count_text, equals, number_text, target_text

FAR_OUTSIDE = 4  # Standard deviations outside the bounds from which an average is called odd.
ODDS = 30_000  # It is one of 31,574 rounds at most: the tail of a normal distribution beyond 4.
_STANDARD = (
    "± is one standard deviation of the noise: in about two of three rounds the true average is within it."
)
_DRAWN = " No phone sends twice: the average with independent noise is CAPE's, with the missing noise added."


def number(plan: Round, value: float) -> str:
    """A value in the unit of the question, with digits that suit its bounds."""
    digits = max(0, min(6, 2 - math.floor(math.log10(plan.change))))
    return f"{value:.{digits}f}".replace("-", "−")


def within(plan: Round, std: float, mean: float | None = None) -> str:
    """A standard deviation after its sign, and the mean before it if there is one; a line does not end inside."""
    parts = ["±", number(plan, std)] if mean is None else [number(plan, mean), "±", number(plan, std)]
    return "\u00a0".join(parts)


def planned(room: Room) -> Round | None:
    """The noise of the round, or of the round that could begin now."""
    if room.plan is not None:
        return room.plan
    ready = sum(seat.ready for seat in room.seats)
    asked = room.asked
    return Round(ready, asked.low, asked.high, asked.privacy, asked.form) if ready >= LEAST_PHONES else None


def caption(room: Room) -> str:
    """The sentence of the present step."""
    return {"lobby": _lobby, "noise": _noise, "messages": _messages, "result": _result}.get(
        room.phase, _closed
    )(room)


def _lobby(room):
    plan, waiting = planned(room), sum(seat.idle for seat in room.seats)
    missing = f" {count_text(waiting, 'phone')} joined without a number so far." if waiting else ""
    if plan is None:
        return (
            "Scan the code and type your number. *It stays on your phone.* What is sent has noise added to it."
            + missing
        )
    return (
        f"With the {plan.phones} phones that are ready, the average will have noise of *"
        f"{within(plan, plan.average_std())}* if it cancels, and {within(plan, plan.conventional_std())} if it "
        f"does not.{missing}"
    )


def _noise(room):
    came, phones = len(room.arrived.noise), room.plan.phones
    if room.asked.form == "generator":
        return (
            f"Every phone draws ê; {came} of {phones} have come. This address has no https, so *the laptop sees "
            "every ê* and plays the trusted generator."
        )
    return (
        f"Every phone draws ê and hides it by masks; {came} of {phones} have come. A masked number alone is "
        "pure chance. *Only with the last one do the masks cancel*, and the sum T of all ê appears."
    )


def agreed(room: Room) -> str:
    """The sentence between the last contribution and the first message, while the picture shows the sum."""
    if room.phase not in ("messages", "result"):
        return ""
    total = number(room.plan, room.total * room.plan.step)
    lead = (
        "The masks have cancelled. What is left is"
        if room.asked.form == "masks"
        else "All ê have come. They sum to"
    )
    return f"{lead} *T = {total}*. Every phone takes its share of T off its ê: *the rests sum to zero*."


def _messages(room):
    came, plan = len(room.arrived.messages), room.plan
    if not came:
        return (
            "Each phone now has noise that sums to zero over the class, and a little noise of its own. "
            "*Press “Send my message” on your phone.*"
        )
    left = within(plan, plan.uncancelled_std(plan.phones - came))
    return (
        f"{came} of {plan.phones} messages have come. Their sum holds noise of *{left} that has not cancelled "
        "yet*. There is no result before the last message."
    )


def _result(room):
    return _averages(room) + _odd(room)


def _odd(room):
    """A warning about an average that numbers within the bounds give rarely."""
    plan, found = room.plan, room.result
    far = plan.outside(found.average, found.std)
    if far < FAR_OUTSIDE:
        return _odd_total(room)
    return (
        f" *This average is {far:.1f} of its ± outside {number_text(plan.low)} to {number_text(plan.high)}*: "
        f"with honest phones that is rarer than once in {number_text(ODDS)} rounds. A phone may have lied."
    )


def _odd_total(room):
    """A warning about a sum of ê that honest phones give rarely; where the laptop knows each e_s, it moves nothing."""
    far = room.plan.total_far(room.total) if room.asked.form == "masks" else 0.0
    if far < FAR_OUTSIDE:
        return ""
    return (
        f" *The sum T is {far:.1f} standard deviations from 0*: with honest phones that is rarer than once in "
        f"{number_text(ODDS // 2)} rounds. A phone may have lied about its ê, and then the average is off."
    )


def _averages(room):
    plan, found, silent = room.plan, room.result, len(room.silent)
    average = within(plan, found.std, found.average)
    other = within(plan, found.conventional_std, found.conventional)
    if silent and plan.form == "generator":
        return (
            f"{count_text(silent, 'phone')} dropped out after the noise was agreed. *The laptop, which knows the blue "
            f"noise of all, has taken it off*, and added what the target needs: the average is {average}, where all "
            f"messages would have given {within(plan, plan.average_std())}. With independent noise: {other}."
        )
    if silent:
        part = "Its" if silent == 1 else "Their"
        return (
            f"{count_text(silent, 'phone')} dropped out after the noise was agreed. *{part} blue noise did not "
            f"cancel*: the average is {average}, where all messages would have given "
            f"{within(plan, plan.average_std())}. With independent noise: {other}."
        )
    return (
        f"All {plan.phones} messages are in, and *the blue noise has cancelled to 0*. CAPE's average is *{average}*; "
        f"with independent noise of the same size it would be {other}."
    )


def _closed(room):
    return f"{room.why} Nothing was kept."


def signs(room: Room) -> str:
    """What ± in the picture means, once a round is planned."""
    return "" if planned(room) is None else _STANDARD + (_DRAWN if room.phase == "result" else "")


def learnt(room: Room, spent: Sequence[float] = ()) -> list[str]:
    """Who learns what, line by line; `spent` is μ of a phone for the laptop in each earlier room."""
    plan = planned(room)
    if plan is None:
        return []
    low, high = number_text(plan.low), number_text(plan.high)
    target = plan.privacy
    lines = [
        f"*One message alone*: {_risk(plan.mu_message())}, the target ({target_text(target)}).",
        *_laptop(room, plan),
        f"N of 100 is how often the best test tells {low} from {high} correctly; 50 of 100 is a coin toss.",
    ]
    if spent:
        before = count_text(len(spent), "earlier room")
        total = math.hypot(*spent, plan.mu_laptop(_known(room)))
        lines.append(
            f"*A phone that answers again loses privacy again*: with its messages of {before}, the laptop's values become "
            f"{_risk(total)}."
        )
    if room.left_out:
        left = count_text(room.left_out, "phone")
        lines.append(
            f"{left} left before the sum was formed. The noise was agreed anew without them: no cost."
        )
    lines.append(
        "The laptop serves the phones' program and knows who sends which message: those who take part trust both."
    )
    return lines


def _risk(mu):
    """How often of 100 the best test at μ guesses right, and μ."""
    return f"{chance(mu)} of 100, {equals('μ', mu)}"


def _simulated(room):
    return sum(seat.simulated for seat in (room.playing or [seat for seat in room.seats if seat.ready]))


def _known(room):
    """Places whose ê the laptop knows, or would know if the round began now."""
    return room.known if room.playing else set(range(_simulated(room)))


def _laptop(room, plan):
    simulated, known = _simulated(room), _known(room)
    if plan.form == "generator":
        lines = [
            f"*The laptop* knows every ê, so a message reveals the number plus g to it: {_risk(plan.mu_alone())}, "
            f"from μ² = SΔ²/τ². Whoever listens to this network learns the same."
        ]
    else:
        silent = room.silent if room.phase == "result" else ()
        whom = " about a phone that keeps ê," if room.playing and room.arrived.shouted else ""
        lines = [f"*The laptop*,{whom} from all messages and T: {_risk(plan.mu_laptop(known, silent))}."]
        if silent:
            lines.append(
                "A message that comes after the end is not added, but the laptop sees it. "
                f"With all of them: {_risk(plan.mu_laptop(known))}."
            )
    lines.append(_independent(plan, known))
    if simulated:
        lines.append(
            f"{simulated} phones are simulated on the laptop. It knows their noise, so they protect nobody from it."
        )
    return lines


def _independent(plan, known):
    """What independent noise tells the laptop, and both averages where both schemes tell it as much."""
    mine, other = plan.average_std(), plan.equal_std(known)
    gain = "as well: *no gain against the laptop*" if other <= mine * (1 + 1e-9) else within(plan, mine)
    return (
        "*With independent noise* the laptop learns only what one message alone reveals. If it may learn as much as "
        f"under CAPE ({equals('μ', plan.mu_laptop(known))}), independent noise gives an average with "
        f"{within(plan, other)}, and CAPE {gain}."
    )


def collusion(room: Room, found: Checked | None) -> list[str]:
    """What the laptop learns from shouted noise, and the result of checking it."""
    if "shout" not in room.asking:
        return []
    plan, shouted = room.plan, len(room.arrived.shouted)
    if plan.form == "generator":
        simulated = room.places(seat for seat in room.playing if seat.simulated)
        other = Round(plan.phones, plan.low, plan.high, plan.privacy, "masks")
        return [
            f"{shouted} of {plan.phones} phones have disclosed ê. *The laptop learns nothing new*: without https it "
            "knew every ê before.",
            f"Behind masks: {_risk(other.mu_laptop(simulated))} at first, and now "
            f"{_risk(other.mu_laptop(room.known, room.silent))}.",
            *([] if found is None else [audited(found, masks=False)]),
        ]
    quiet = plan.phones - len(room.known)
    simulated = len(room.known - set(room.arrived.shouted))
    beside = f", the laptop knows it of {count_text(simulated, 'simulated phone')}" if simulated else ""
    lines = [
        f"{shouted} of {plan.phones} phones have disclosed ê{beside}, and {quiet} {'keeps' if quiet == 1 else 'keep'} it.",
        f"A phone that keeps ê: *{_risk(plan.mu_laptop(room.known, room.silent))}*."
        if quiet
        else "No phone keeps ê.",
        f"A phone that disclosed it has only its own noise g left: {_risk(plan.mu_alone())}.",
    ]
    return lines + ([] if found is None else [audited(found)])


def audited(found: Checked, *, masks: bool = True) -> str:
    """What two checks of the stated μ found; without `masks` it is stated of a laptop that had not seen every ê."""
    agrees = abs(found.exact - found.stated) <= 1e-6 * found.stated and found.shown <= found.stated
    known = "all that the laptop knows" if masks else "what it would then know"
    return (
        f"Checked: the covariance of {known} gives {equals('μ', found.exact)}. An audit of "
        f"{number_text(found.runs)} simulated rounds proves μ ≥ {at_least_text(found.shown)}: "
        + ("*both agree with what is stated.*" if agrees else "*this contradicts what is stated.*")
    )


def truth(room: Room) -> str:
    """The average of those who revealed their numbers."""
    if "reveal" not in room.asking:
        return ""
    plan, found = room.plan, room.revealed
    if not found:
        return "No phone has revealed its number yet."
    mean = number(plan, sum(found) / len(found))
    if len(found) == plan.phones:
        return f"All {plan.phones} revealed their numbers: the true average is *{mean}*."
    return (
        f"{len(found)} of {plan.phones} revealed their numbers: their true average is *{mean}*. That of all may "
        "differ."
    )
