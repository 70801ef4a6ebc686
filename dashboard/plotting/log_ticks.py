"""Ticks of logarithmic axes: as many round numbers as fit, for ranges from a part of a decade to thirty decades."""

from __future__ import annotations

from bokeh.models import CustomJSTicker, CustomJSTickFormatter

GAP = {"inner_width": 52, "inner_height": 30}  # Pixels from one label to the next.
MAJOR = """
const [low, high] = [Math.min(cb_data.start, cb_data.end), Math.max(cb_data.start, cb_data.end)]
if (!(low > 0) || !(high > low) || !isFinite(high)) return []
let length = 400
try { length = plot[side] || length } catch { /* Its size is unset before the first layout. */ }
const decades = Math.log10(high / low)
const least = gap / length * decades
const inside = (ticks) => ticks.filter((t) => t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9))
const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
// Mantissas, and the least distance between two of them in decades.
for (const [mantissas, apart] of [[[1, 2, 3, 4, 5, 6, 7, 8, 9], 0.045], [[1, 2, 5], 0.3], [[1, 3], 0.47]]) {
  if (apart < least) continue
  const ticks = []
  for (let e = first; e <= last; e++) ticks.push(...mantissas.map((m) => Number(`${m}e${e}`)))
  if (inside(ticks).length >= 3) return inside(ticks)
}
if (decades >= 2) {
  const step = Math.max(1, Math.ceil(least - 1e-9)), ticks = []
  for (let e = step * Math.floor(first / step); e <= last; e += step) ticks.push(Number(`1e${e}`))
  return inside(ticks)
}
// Less than three round numbers lie in so short a range: equal steps.
const size = Math.floor(Math.log10(high - low))
for (let e = size - 2; e <= size; e++)
  for (const m of [1, 2, 5]) {
    const step = m * 10 ** e, last = Math.floor(high / step + 1e-9), ticks = []
    if (last > 1 && Math.log10(last / (last - 1)) < least) continue
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++) ticks.push(i * step)
    return ticks
  }
return [low, high]
"""
MINOR = """
const [low, high] = [Math.min(cb_data.start, cb_data.end), Math.max(cb_data.start, cb_data.end)]
if (!(low > 0) || !isFinite(high) || Math.log10(high / low) > 6) return []
const ticks = []
for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
  for (let m = 1; m < 10; m++) ticks.push(Number(`${m}e${e}`))
return ticks.filter((t) => t >= low && t <= high && !cb_data.major_ticks.includes(t))
"""
LABEL = """
const raised = (n) => String(n).replace("-", "⁻").replace(/[0-9]/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])
const power = Math.floor(Math.log10(tick) + 1e-9)
const mantissa = Number((tick / 10 ** power).toPrecision(4))
const exponents = ticks.map((t) => Math.log10(t))
const decades = exponents.every((e) => Math.abs(e - Math.round(e)) < 1e-9)
if (decades && Math.max(...exponents) - Math.min(...exponents) > 2.5) return "10" + raised(power)
if (power > -4 && power < 6) {
  const [whole, part] = String(Number(tick.toPrecision(6))).split(".")
  const grouped = whole.length > 4 ? whole.replace(/\\B(?=(\\d{3})+$)/g, "\\u202f") : whole
  return part ? `${grouped}.${part}` : grouped
}
return mantissa === 1 ? "10" + raised(power) : `${mantissa}·10${raised(power)}`
"""


def log_ticks(plot, axis, lines) -> None:
    """Set ticks of an axis and its grid lines for a logarithmic scale of any range."""
    side = "inner_width" if axis in plot.xaxis else "inner_height"
    parts = {"plot": plot, "side": side, "gap": GAP[side]}
    axis.ticker = CustomJSTicker(args=parts, major_code=MAJOR, minor_code=MINOR)
    axis.formatter = CustomJSTickFormatter(code=LABEL)
    lines.ticker = axis.ticker
