const LARGE = 1060 // Pixels of width from which everything is drawn larger.
// Where everything stands, for the width of the page and the number of sites; rows are sites, x is a number.
function layout(run, width) {
  const sites = run.values.length, wide = width >= 720, large = width >= LARGE ? 1.25 : 1
  // On a phone ten sites and both averages fit a screen.
  const row = large * (sites <= 6 ? (wide ? 42 : 36) : sites <= 12 ? (wide ? 22.5 : 17) : sites <= 20 ? Math.max(15.5, 270 / sites) : Math.max(7, 270 / sites))
  const names = large * (wide ? 118 : 88), edge = 12
  const sums = wide ? Math.min(large * 300, 0.28 * width) : width - names - 2 * edge
  const x0 = names + edge, x1 = wide ? width - sums - 48 : width - edge
  const top = 26 * large, bottom = top + sites * row
  // On a narrow page the running sum stands below the rows.
  const step = wide ? row : Math.max(6, Math.min(16, 76 / sites))
  const walk = wide ? top : bottom + 30
  const home = walk + sites * step + 14
  const line = (wide ? bottom : home) + 32
  const lane = large * (sites <= 6 ? 54 : wide ? 46 : 42)
  const centre = (x0 + x1) / 2, half = (x1 - x0) / 2
  const partial = run.values.map((v, s) => v + run.zero_sum[s])
  const all = [run.values, partial, run.messages, run.conventional_messages].flat()
  const reach = 1.06 * Math.max(...all.map((x) => Math.abs(x - run.truth)))
  const total = (xs) => xs.reduce((sums, x) => [...sums, sums[sums.length - 1] + x], [0])
  const zero = total(run.zero_sum), local = total(run.local)
  const far = 1.1 * Math.max(...zero.map(Math.abs), ...local.map(Math.abs))
  const base = wide ? x1 + 48 : x0, middle = base + (wide ? sums : x1 - x0) / 2, span = (wide ? sums : x1 - x0) / 2
  return {
    sites, wide, row, names, width, x0, x1, centre, half, top, bottom, line, lane, step, walk, home, partial, zero, local,
    sumsLeft: base, sumsRight: base + 2 * span, middle,
    lanes: { cape: line + 26 + lane, conventional: line + 26 + 2 * lane + 10 },
    height: line + 26 + 2 * lane + 10 + 20,
    y: (s) => top + (s + 0.5) * row,
    x: (value) => centre + (half * (value - run.truth)) / reach,
    zoomed: (error) => centre + half * clamp(error / run.reach, -1, 1),
    sum: (total) => middle + (span * total) / far,
    walkY: (s) => walk + (s + 0.5) * step,
    off: Math.min(7, 0.17 * row),
    lens: Math.min(half, (half * run.reach) / reach),
  }
}

// All elements, once for each run and width; `acts` moves them.
function build(svg, run, width) {
  const at = layout(run, width), S = at.sites, kind = run.noun === "hospital" ? "hospital" : "site"
  svg.replaceChildren()
  svg.classList.toggle("large", width >= LARGE)
  set(svg, { width, height: at.height, viewBox: `0 0 ${width} ${at.height}` })
  const part = (className) => draw(svg, "g", { class: className })
  const text = (parent, x, y, words, className = "", anchor = "start") =>
    draw(parent, "text", { x, y, class: className, "text-anchor": anchor }, words)
  const ground = part("ground"), truth = part("truth")
  draw(truth, "line", { x1: at.centre, x2: at.centre, y1: at.top - 6, y2: at.wide ? at.bottom + 10 : at.bottom, class: "dashed" })
  text(truth, at.centre, 16, `true average ${run.truth.toFixed(3)}`, "quiet", "middle")
  const rows = run.values.map((value, s) => {
    const y = at.y(s), group = part("row")
    draw(group, "line", { x1: at.x0, x2: at.x1, y1: y, y2: y, class: "rail" })
    const size = Math.min(at.wide ? 40 : 30, (S <= 6 ? 0.68 : kind === "hospital" ? 0.6 : 0.82) * at.row)
    const head = S <= 24 ? face(group, size, kind) : null
    if (head) move(head.group, size / 2 + 3, y + (kind === "hospital" ? 2 : 0))
    if (head) set(head.eyes, { style: `animation-delay: ${(s * 0.77) % 4}s` })
    if (S <= 20) text(group, size + 12, y + 5, run.names[s], at.row < 20 ? "name small" : "name")
    // Above the dot where there is room, else beside it.
    const x = at.x(value), over = at.row > 30, left = x > at.x1 - 50
    const words = S > 12 ? null : over
      ? text(group, clamp(x, at.x0 + 20, at.x1 - 20), y - at.off - 4, value.toFixed(3), "number", "middle")
      : text(group, x + (left ? -11 : 11), y + 4.5, value.toFixed(3), "number", left ? "end" : "start")
    const zero = draw(group, "line", { class: "zero bar" }), local = draw(group, "line", { class: "local bar" })
    const joint = draw(group, "line", { class: "joint" })
    const ghost = draw(group, "rect", { class: "message ghost" })
    const dot = draw(group, "circle", { class: "dot", r: Math.min(6, 0.3 * at.row) })
    return { y, head, words, zero, local, joint, ghost, dot }
  })
  const walk = part("walk")
  draw(walk, "line", { x1: at.middle, x2: at.middle, y1: at.walk - 6, y2: at.home - 6, class: "dashed" })
  const title = text(walk, at.wide ? at.middle : at.sumsLeft, at.walk - 12, "", "quiet", at.wide ? "middle" : "start")
  const house = draw(walk, "path", { class: "home", d: "M-9 0L0 -9L9 0M-6.5 -2V8H6.5V-2" })
  const paths = { zero: draw(walk, "path", { class: "zero path" }), local: draw(walk, "path", { class: "local path" }) }
  const walkers = { zero: draw(walk, "circle", { class: "zero walker", r: 6 }), local: draw(walk, "circle", { class: "local walker", r: 6 }) }
  const said = { zero: text(walk, 0, 0, "", "said"), local: text(walk, 0, 0, "", "said") }
  const desk = part("desk")
  const size = 32, officer = face(desk, size, "aggregator")
  move(officer.group, size / 2 + 3, at.line)
  text(desk, size + 12, at.line + 5, at.wide ? "Aggregator" : "Sum", "name")
  draw(desk, "line", { x1: at.x0, x2: at.x1, y1: at.line, y2: at.line, class: "axis" })
  const question = text(part("question"), at.centre, (at.line + at.height) / 2 + 16, "?", "question", "middle")
  const result = part("result")
  draw(ground, "path", { class: "lens", d:
    `M${at.centre - at.lens} ${at.line + 8}H${at.centre + at.lens}L${at.x1} ${at.line + 30}V${at.height - 18}H${at.x0}V${at.line + 30}z` })
  draw(result, "line", { x1: at.centre, x2: at.centre, y1: at.line + 10, y2: at.height - 14, class: "dashed" })
  text(result, at.x1, at.height - 4, `${short(run.reach)} off`, "quiet", "end")
  text(result, at.x0, at.height - 4, `${short(-run.reach)}`, "quiet")
  text(result, at.centre, at.height - 2, "true average", "quiet", "middle")
  const lanes = Object.fromEntries(["cape", "conventional"].map((scheme) => {
    const y = at.lanes[scheme], group = draw(result, "g", { class: scheme })
    draw(group, "line", { x1: at.x0, x2: at.x1, y1: y, y2: y, class: "axis" })
    draw(group, "text", { x: 4, y: y - 26, class: "name" }, scheme === "cape" ? "CAPE" : "conventional")
    const small = text(group, at.wide ? at.sumsLeft : 4, at.wide ? y - 34 : y - 8, "", "quiet")
    const big = text(group, at.wide ? at.sumsLeft : 4, at.wide ? y - 6 : y + 9, "", "big")
    return [scheme, { y, group, small, big, blocks: draw(group, "g", { class: "blocks" }),
      miss: draw(group, "line", { class: "miss" }) }]
  }))
  const flying = part("flying")
  const flights = run.values.map(() => ({
    trail: draw(flying, "line", { class: "zero trail" }),
    spark: draw(flying, "circle", { class: "zero spark", r: 5 }),
    letter: draw(flying, "rect", { class: "message" }),
    rival: draw(flying, "path", { class: "rival", d: diamond(Math.min(6, 0.32 * at.row + 2)) }),
  }))
  const marks = { cape: draw(flying, "circle", { class: "mark cape", r: 9 }),
    conventional: draw(flying, "path", { class: "mark conventional", d: diamond(10) }) }
  return { run, at, ground, rows, walk: { group: walk, title, house, paths, walkers, said }, officer, result, question, lanes, flights, marks }
}
