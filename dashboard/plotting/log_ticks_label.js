// Body of a formatter's function, which is given: tick, ticks.
const raised = (n) => String(n).replace("-", "⁻").replace(/[0-9]/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])
const power = Math.floor(Math.log10(tick) + 1e-9)
const mantissa = Number((tick / 10 ** power).toPrecision(4))
const exponents = ticks.map((t) => Math.log10(t))
const decades = exponents.every((e) => Math.abs(e - Math.round(e)) < 1e-9)
if (decades && Math.max(...exponents) - Math.min(...exponents) > 2.5) return "10" + raised(power)
if (power > -4 && power < 6) {
  const [whole, part] = String(Number(tick.toPrecision(6))).split(".")
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole
  return part ? `${grouped}.${part}` : grouped
}
return mantissa === 1 ? "10" + raised(power) : `${mantissa}·10${raised(power)}`
