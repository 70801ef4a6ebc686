// Body of a callback, which is given: plot, names, labels, setting, legend. It keeps names at the ends of curves apart, lists
// in the legend those that have no room, and mixes their colours with that of text, in which small letters are read.
if (plot.properties.inner_height.is_unset) return // Before the first layout, which calls again.
const height = plot.inner_height
if (!(height > 0)) return
const large = Math.max(1, parseInt(plot.below[0].major_label_text_font_size) / 12) // As in a hall.
const gap = 16 * large, { y, listed, colour } = names.data
const { start, end } = plot.y_range
const log = plot.y_scale.type.startsWith("Log")
const scale = log ? Math.log : (value) => value
const at = (value) => Math.min(1, Math.max(0, (scale(value) - scale(start)) / (scale(end) - scale(start)))) * height
const room = Math.max(1, Math.floor((height + gap) / gap))
const boxes = [...y].slice(0, room).map((value, i) => ({ i, y: at(value) })).sort((a, b) => a.y - b.y)
let edge = 0
for (const box of boxes) edge = (box.at = Math.max(edge, box.y)) + gap
edge = height
for (const box of boxes.toReversed()) edge = (box.at = Math.min(box.at, edge)) - gap
const down = [...y].map(() => 0)
for (const box of boxes) down[box.i] = box.y - box.at
const rgb = (text) => [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16))
const paper = rgb(setting.text_color?.value ?? setting.text_color ?? "#1a1f27")
const mixed = (text) => {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return text
  const parts = rgb(text).map((part, i) => Math.round(0.78 * part + 0.22 * paper[i]))
  return "#" + parts.map((part) => part.toString(16).padStart(2, "0")).join("")
}
const ink = [...colour].map((text, i) => (i < room ? mixed(text) : "rgba(0, 0, 0, 0)"))
if (String(down) !== String([...names.data.down]) || String(ink) !== String([...names.data.ink]))
  names.setv({ data: { ...names.data, down, ink } }, { sync: false })
const left = [...listed].slice(room)
for (const item of legend.items) {
  const wanted = left.includes(item.label.value ?? item.label)
  if (item.visible !== wanted) item.setv({ visible: wanted }, { sync: false })
}
if (legend.visible !== left.length > 0) legend.setv({ visible: left.length > 0 }, { sync: false })
const size = { value: Math.round(14 * large) + "px" }
if (labels.text_font_size?.value !== size.value) labels.setv({ text_font_size: size }, { sync: false })
