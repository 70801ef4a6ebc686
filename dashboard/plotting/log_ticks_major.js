// Body of a ticker's function, which is given: plot, side, gap.
const [low, high] = [Math.min(cb_data.start, cb_data.end), Math.max(cb_data.start, cb_data.end)]
if (!(low > 0) || !(high > low) || !isFinite(high)) return []
let length = 400
try { length = plot[side] || length } catch { /* Its size is unset before the first layout. */ }
const decades = Math.log10(high / low)
// The letters of a hall need more room.
const room = plot.tags.includes("large") && window.innerWidth >= 900 ? 1.7 * gap : gap
const least = room / length * decades
const inside = (ticks) => ticks.filter((t) => t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9))
const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
// Mantissas, and the least distance between two of them in decades.
let few = []
for (const [mantissas, apart] of [[[1, 2, 3, 4, 5, 6, 7, 8, 9], 0.045], [[1, 2, 5], 0.3], [[1, 3], 0.47]]) {
  if (apart < least) continue
  const ticks = []
  for (let e = first; e <= last; e++) ticks.push(...mantissas.map((m) => Number(`${m}e${e}`)))
  const found = inside(ticks)
  if (found.length >= 3) return found
  if (found.length > few.length) few = found
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
    return ticks.length < few.length ? few : ticks
  }
return [low, high]
