// Curves of one figure move from the published run to the corrected one and back; args: plot. Nothing else is animated.
const names = ["mean", "low", "high"], milliseconds = 900
const seen = (window.capeCurves ??= new WeakMap())
const copy = (data) => ({ figure: plot.name, x: [...data.x], ...Object.fromEntries(names.map((name) => [name, [...data[name]]])) })
if (cb_obj === plot) {  // Curves that came with the page have not changed yet.
  for (const { data_source } of plot.renderers) {
    if (data_source?.data.mean?.length && !seen.has(data_source)) seen.set(data_source, copy(data_source.data))
  }
  return
}
const source = cb_obj, data = source.data, before = seen.get(source)
if (!data.x.length) return  // It is emptied before it is filled.
const now = copy(data)
const alike = before && before.figure === now.figure && before.x.join() === now.x.join()
const still = !alike || names.every((name) => before[name].join() === now[name].join())
if (before?.moving && alike && still) return  // This is a step of the animation itself.
cancelAnimationFrame(before?.frame ?? 0)
if (still || matchMedia("(prefers-reduced-motion: reduce)").matches) { seen.set(source, now); return }
const shown = { ...now, moving: true }, began = performance.now()
seen.set(source, shown)
const step = () => {
  if (source.data !== data) return
  const t = Math.min(1, (performance.now() - began) / milliseconds), part = t * t * (3 - 2 * t)
  for (const name of names) {
    shown[name] = now[name].map((value, i) => {
      const old = before[name][i]
      if (t === 1) return value
      return value > 0 && old > 0 ? old ** (1 - part) * value ** part : old + part * (value - old)
    })
    for (const i in shown[name]) data[name][i] = shown[name][i]
  }
  shown.moving = t < 1
  source.change.emit()
  if (t < 1) shown.frame = requestAnimationFrame(step)
}
step()
