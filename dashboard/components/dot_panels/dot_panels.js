// Panels of dots, one a scheme. A new result moves every dot from where it is to where the result puts it. Where circles
// say which crosses count as found, all change at once: on its way a cross would contradict its circle and the heading.
const SVG = "http://www.w3.org/2000/svg", SIDE = 1000, TAKES = 650, GREY = "var(--none)" // Milliseconds.
const calm = matchMedia("(prefers-reduced-motion: reduce)")
const ease = (u) => (u < 0.5 ? 2 * u * u : 1 - (2 - 2 * u) ** 2 / 2)
const draw = (parent, name, attributes = {}) => {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent.append(element)
  return element
}
const make = (parent, name, className = "") => {
  const element = document.createElement(name)
  if (className) element.className = className
  parent.append(element)
  return element
}
const like = (places, other) => other && places[0].length === other[0].length

// On the circle around a ring, at its upper outer side: nothing else is drawn there.
const tick = (x, y, r) => `M${Math.round(x + (x > SIDE / 2 ? 0.71 : -0.71) * r) - 32} ${Math.round(y - 0.71 * r)}l22 26l42 -56`

// One panel: the elements, and where its dots and crosses are now.
function panel(row) {
  const figure = make(row, "figure"), head = make(figure, "figcaption")
  const label = make(head, "b"), verdict = make(head, "span"), sheet = make(figure, "div", "sheet")
  const svg = draw(sheet, "svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "img" })
  return { figure, label, verdict, svg, up: make(sheet, "span", "up"), across: make(sheet, "span", "across"), now: null, to: null }
}

function build(part, spec, picture, tints, first) {
  const { svg } = part, [lx, ly] = picture.line, [zx, zy] = picture.level
  const [rx, ry] = picture.rings, { near } = picture
  part.label.textContent = part.figure.dataset.about = spec.label
  part.verdict.textContent = spec.verdict || "\u00a0"
  part.up.textContent = first ? picture.up : ""
  part.across.textContent = first ? picture.across : ""
  part.figure.style.setProperty("--look", spec.colour || "currentColor")
  svg.setAttribute("preserveAspectRatio", picture.rings[0].length ? "xMidYMid" : "none")
  svg.setAttribute("aria-label", `${spec.label}: ${spec.verdict}`)
  svg.replaceChildren()
  if (zx.length) draw(svg, "path", { class: "level", d: `M${zx[0]} ${zy[0]}L${zx[1]} ${zy[1]}` })
  if (lx.length) draw(svg, "path", { class: "line", d: `M${lx[0]} ${ly[0]}L${lx[1]} ${ly[1]}` })
  near.forEach((r, i) => draw(svg, "circle", { class: spec.right.includes(i) ? "near hit" : "near", cx: rx[i], cy: ry[i], r }))
  const shades = spec.groups.length ? [...new Set(spec.groups)].sort() : [-1]
  part.inks = shades.map((group) => [group, draw(svg, "path", {
    class: "dot", "stroke-width": picture.size, style: `--dot: ${group >= 0 ? tints[group] : spec.groups.length ? GREY : spec.colour || "currentColor"}`,
  })])
  for (const name of ["ring halo", "ring"]) rx.forEach((x, i) => draw(svg, "circle", { class: name, cx: x, cy: ry[i], r: 46 }))
  part.misses = spec.found[0].map(() => draw(svg, "path", { class: "miss" }))
  const tint = (i) => picture.near.length && !spec.right.includes(i) ? GREY : spec.groups.length ? tints[i % tints.length] : "currentColor"
  part.crosses = spec.found[0].map((_, i) => ["halo", "mark"].map((name) => draw(svg, "path", { class: `cross ${name}`, style: `--tint: ${tint(i)}` })))
  for (const i of spec.right) for (const name of ["tick halo", "tick"]) draw(svg, "path", { class: name, d: tick(rx[i], ry[i], picture.near[i]) })
  part.rings = [rx, ry]
  part.groups = spec.groups
}

function paint(part, u) {
  const { from, to } = part
  const at = (kind, axis, i) => Math.round(from[kind][axis][i] + (to[kind][axis][i] - from[kind][axis][i]) * u)
  for (const [group, path] of part.inks) {
    let d = ""
    to.dots[0].forEach((_, i) => { if (!part.groups.length || part.groups[i] === group) d += `M${at("dots", 0, i)} ${at("dots", 1, i)}h0` })
    path.setAttribute("d", d)
  }
  part.crosses.forEach((pair, i) => {
    const x = at("found", 0, i), y = at("found", 1, i)
    pair.forEach((path) => path.setAttribute("d", `M${x - 42} ${y}h84m-42 -42v84`))
    if (part.rings[0].length > i) part.misses[i].setAttribute("d", `M${part.rings[0][i]} ${part.rings[1][i]}L${x} ${y}`)
  })
  const places = (kind) => [0, 1].map((axis) => to[kind][axis].map((_, i) => at(kind, axis, i)))
  part.now = { dots: places("dots"), found: places("found") }
}

export function render({ model }) {
  const root = document.createElement("div")
  root.className = "dot-panels"
  const told = make(root, "p", "told"), row = make(root, "div", "row"), under = make(root, "p", "under"), parts = new Map()
  let frame = 0, said = ""
  const follow = () => {
    const picture = model.state
    if (!picture.panels) { row.replaceChildren(); parts.clear(); told.textContent = under.textContent = said = ""; return }
    if (said !== String(picture.told)) {
      said = String(picture.told)
      told.classList.toggle("key", picture.told.length > 1)
      told.replaceChildren(...picture.told.map((item) => Object.assign(document.createElement("span"), { textContent: item })))
    }
    if (under.textContent !== picture.under) under.textContent = picture.under
    const wanted = new Set(picture.panels.map((spec) => spec.name))
    for (const [name, part] of parts) if (!wanted.has(name)) { part.figure.remove(); parts.delete(name) }
    const moving = []
    picture.panels.forEach((spec, i) => {
      const part = parts.get(spec.name) ?? panel(row)
      parts.set(spec.name, part)
      if (row.children[i] !== part.figure) row.insertBefore(part.figure, row.children[i] ?? null)
      const to = { dots: spec.dots, found: spec.found }
      const key = JSON.stringify(spec) + picture.told + (i === 0)
      if (part.key === key) return
      part.key = key
      build(part, spec, picture, model.tints, i === 0)
      const { dots, found } = part.now ?? {}, middle = spec.found.map((axis) => axis.map(() => SIDE / 2))
      part.from = {
        dots: like(spec.dots, dots) ? dots : like(spec.dots, picture.home) ? picture.home : spec.dots,
        found: like(spec.found, found) ? found : middle,
      }
      part.to = to
      delete part.since
      const still = calm.matches || picture.near.length > 0
      paint(part, still ? 1 : 0)
      if (!still) moving.push(part)
    })
    for (const part of moving) part.since = performance.now()
    const step = (time) => {
      let on = false
      for (const part of parts.values()) {
        if (part.since === undefined) continue
        const u = calm.matches ? 1 : Math.min(1, Math.max(0, (time - part.since) / TAKES))
        paint(part, ease(u))
        if (u < 1) on = true
        else delete part.since
      }
      frame = on ? requestAnimationFrame(step) : 0
    }
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(step)
  }
  follow()
  model.on("state", follow)
  model.on("remove", () => cancelAnimationFrame(frame))
  return root
}
