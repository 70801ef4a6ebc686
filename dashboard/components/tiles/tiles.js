// Rows of small pictures on canvases, one for each row. A new state fades in pixel by pixel from the one before it, and
// from an empty ground at first: a row never shows what another one found. Rows that a search found show its steps when
// they come, all together, and again on a press; when they change after that, they show its end at once.
const FADE = 380 // Milliseconds.
// Most happens in the first steps: they take longer.
const FIRST = 8, SLOW = 420, QUICK = 110
const BAR = { width: 96, height: 60, gap: 12 }
const FEW = 4 // So many pictures in a row leave room for another row beside it.
const still = window.matchMedia("(prefers-reduced-motion: reduce)")

function make(tag, className, text = "") {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

// Pixels from -1 to 1; null for a row that is not known yet.
function unpacked(text) {
  if (!text) return null
  return Float32Array.from(atob(text), (letter) => (letter.charCodeAt(0) - 128) / 127)
}

const channels = (colour) => (colour.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number)

function pixels(canvas, values, { shape: [height, width], count }, colours) {
  const gap = Math.max(1, Math.round(width / 9)), full = count * (width + gap) - gap
  if (canvas.width !== full || canvas.height !== height) Object.assign(canvas, { width: full, height })
  const context = canvas.getContext("2d"), image = context.createImageData(full, height), size = width * height
  for (let tile = 0; tile < count; tile++) for (let at = 0; at < size; at++) {
    const value = values && tile * size + at < values.length ? values[tile * size + at] : null
    const place = 4 * (Math.floor(at / width) * full + tile * (width + gap) + (at % width))
    const ground = value === null ? 0.07 : 0.045
    image.data.set([...colours.ink, 255 * Math.max(value ?? 0, ground)], place)
  }
  context.putImageData(image, 0, 0)
}

function bars(canvas, values, { shape: [, width], count }, colours) {
  const full = count * (BAR.width + BAR.gap) - BAR.gap, middle = BAR.height / 2
  if (canvas.width !== 2 * full) Object.assign(canvas, { width: 2 * full, height: 2 * BAR.height })
  const context = canvas.getContext("2d"), each = BAR.width / width
  context.setTransform(2, 0, 0, 2, 0, 0)
  context.clearRect(0, 0, full, BAR.height)
  const paint = ([r, g, b], alpha) => { context.fillStyle = `rgb(${r} ${g} ${b} / ${alpha})` }
  for (let tile = 0; tile < count; tile++) {
    const left = tile * (BAR.width + BAR.gap)
    paint(colours.ink, 0.06)
    context.fillRect(left, 0, BAR.width, BAR.height)
    for (let at = 0; values && at < width; at++) {
      const value = values[tile * width + at] ?? 0
      paint(value > 0 ? colours.more : colours.less, 1)
      context.fillRect(left + at * each + 0.1 * each, middle, 0.8 * each, -value * (middle - 2))
    }
  }
}

export function render({ model }) {
  const root = make("div", "grid"), walk = make("div", "walk")
  let drawn = [], frame = 0
  // At which step the searches stand, and since when they run; null once they stand.
  const again = make("button", "again", "↻ Search again"), scale = make("input", ""), place = make("span", "place")
  let at = 0, since = null
  scale.type = "range"
  scale.min = 0
  scale.step = "any"
  scale.setAttribute("aria-label", "step of the search")
  again.type = "button"
  walk.append(again, scale, place)
  const last = () => model.spec.steps ?? 0
  // Pixels of a row at the present step, between two of its steps; a search that has ended stands still.
  const stepped = ({ steps }) => {
    const size = steps.length / (last() + 1), whole = Math.min(Math.floor(at), last()), share = at - whole
    const from = steps.subarray(whole * size, (whole + 1) * size)
    const to = whole < last() ? steps.subarray((whole + 1) * size, (whole + 2) * size) : from
    return from.map((value, i) => value + share * (to[i] - value))
  }
  const told = () => {
    const step = Math.floor(at + 1e-6)
    place.textContent = step ? `step ${step} of ${last()}` : "random start"
    scale.max = last()
    scale.value = at
  }
  const search = () => {
    at = 0
    since = performance.now()
    if (!frame) frame = requestAnimationFrame(paint)
  }
  again.onclick = search
  scale.oninput = () => {
    since = null
    at = Number(scale.value)
    if (!frame) frame = requestAnimationFrame(paint)
  }
  const colours = () => {
    const style = getComputedStyle(root), part = (name) => channels(style.getPropertyValue(name))
    return { ink: channels(style.color), more: part("--more"), less: part("--less") }
  }
  const paint = () => {
    const spec = model.spec, now = performance.now(), shades = colours()
    let going = since !== null
    if (going) {
      const gone = now - since
      at = Math.min(last(), gone < FIRST * SLOW ? gone / SLOW : FIRST + (gone - FIRST * SLOW) / QUICK)
      if (at === last()) since = null
    }
    if (last()) {
      told()
    }
    for (const row of drawn) {
      if (row.steps) {
        (spec.kind === "bars" ? bars : pixels)(row.canvas, (row.now = stepped(row)), spec, shades)
        continue
      }
      const share = row.from === row.to || still.matches ? 1 : Math.min(1, Math.max(0, (now - row.begun) / FADE))
      const eased = share * (2 - share)
      going ||= share < 1
      row.now = !row.to ? null : share >= 1 ? row.to : row.to.map((to, i) => to * eased + (row.from?.[i] ?? 0) * (1 - eased))
      if (share >= 1) row.from = row.to;
      (spec.kind === "bars" ? bars : pixels)(row.canvas, row.now, spec, shades)
    }
    frame = going ? requestAnimationFrame(paint) : 0
  }
  const build = (spec) => {
    root.style.setProperty("--count", spec.count)
    root.style.setProperty("--rows", spec.rows.length)
    // Pictures that are higher than wide are narrower, so that their lines stay as high.
    root.style.setProperty("--shape", spec.kind === "bars" ? 1 : Math.min(1, Math.max(0.7, spec.shape[1] / spec.shape[0])))
    // Marks stand below the left edges of their pictures.
    const [wide, gap] = spec.kind === "bars" ? [BAR.width, BAR.gap] : [spec.shape[1], Math.max(1, Math.round(spec.shape[1] / 9))]
    const full = spec.count * (wide + gap) - gap, share = gap / full
    drawn = spec.rows.map(() => {
      const label = make("div", "label"), canvas = make("canvas", spec.kind), note = make("div", "note")
      canvas.setAttribute("role", "img")
      const row = make("div", "row"), marks = make("div", "marks")
      row.append(label, canvas, ...(spec.marked ? [marks] : []), note)
      marks.style.columnGap = `${100 * share}%`
      return { row, label, canvas, marks, note, from: null, to: null, now: null, steps: null, begun: 0 }
    })
    root.classList.toggle("pairs", spec.count <= FEW)
    root.classList.toggle("marked", spec.marked)
    root.replaceChildren(make("p", "title"), ...(spec.searched ? [walk] : []), ...drawn.map(({ row }) => row))
  }
  let built = ""
  const follow = () => {
    const spec = model.spec
    if (!spec.rows) return root.replaceChildren()
    const kind = JSON.stringify([spec.shape, spec.count, spec.kind, spec.searched, spec.rows.length])
    if (kind !== built) build(spec)
    built = kind
    root.firstChild.replaceChildren(make("span", "", spec.title))
    spec.rows.forEach((row, i) => {
      const one = drawn[i], mark = make("i", "")
      mark.style.background = row.colour
      for (const part of [one.label, one.canvas, one.note]) part.dataset.about = row.label
      one.row.style.setProperty("--scheme", row.colour || "currentColor")
      const name = make("span", "", row.label)
      if (row.hint) name.append(make("small", "", row.hint))
      one.label.replaceChildren(...(row.colour ? [mark] : []), name)
      one.note.textContent = row.note
      one.note.classList.toggle("words", !/\d/.test(row.note))
      one.steps = unpacked(row.steps)
      one.marks.replaceChildren(...row.marks.map((mark) => {
        const [sign, ...word] = mark.split(" "), said = make("span", sign === "✓" ? "found" : "", sign)
        if (word.length) said.append(make("small", "", ` ${word.join(" ")}`))
        return said
      }))
      one.canvas.setAttribute("aria-label", `${row.label} ${row.note}`)
      const to = unpacked(row.pixels)
      // A marked picture does not fade: it would still be the old one under a new mark.
      const from = spec.marked ? to : one.now?.length === to?.length ? one.now : null
      Object.assign(one, { from, to, begun: performance.now() })
    })
    at = last()
    since = null
    walk.style.visibility = last() ? "" : "hidden"
    if (!frame) frame = requestAnimationFrame(paint)
  }
  // The theme may change the colour of ink.
  new MutationObserver(() => { if (!frame) frame = requestAnimationFrame(paint) })
    .observe(document.documentElement, { attributes: true })
  model.on("spec", follow)
  setTimeout(follow) // Once the element stands in the page: its colours are inherited.
  return root
}
