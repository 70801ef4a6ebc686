// Further runs fall as blocks into one histogram for each scheme. `rained` of them have landed or are falling.
const BLOCK = 11

const typical = (scene, scheme) => {
  const { run } = scene, first = scheme === "cape" ? run.average : run.conventional
  const errors = [first, ...run.further[scheme].slice(0, scene.rained)].map((value) => value - run.truth)
  return Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
}

// Blocks of all runs, each on top of those before it.
function stack(scene, scheme) {
  const { run, at, lanes } = scene, lane = lanes[scheme], counts = new Map()
  const first = scheme === "cape" ? run.average : run.conventional
  const places = [first, ...run.further[scheme]].map((value) => {
    const column = Math.floor((at.zoomed(value - run.truth) - at.centre) / BLOCK)
    counts.set(column, (counts.get(column) ?? 0) + 1)
    return { column, level: counts.get(column) - 1 }
  })
  const high = Math.min(9, (at.lane - 6) / Math.max(1, ...counts.values()))
  lane.blocks.replaceChildren()
  return places.map(({ column, level }, i) => {
    const x = at.centre + column * BLOCK + 0.5, y = lane.y - 3 - (level + 1) * high
    const block = draw(lane.blocks, "rect", { class: i ? "block" : "block first", x, y, width: BLOCK - 1, height: Math.max(1, high - 0.8), rx: 1 })
    return { block, y }
  })
}

// The rain `u` seconds after it began with run `from`; every block falls from the top of its lane.
function fall(scene, from, u) {
  const { stacks, run, at } = scene, total = run.further.cape.length, fresh = Math.max(1, total - from)
  scene.rained = total
  for (const scheme of ["cape", "conventional"])
    stacks[scheme].forEach(({ block, y }, i) => {
      const start = i <= from ? -1 : ((i - 1 - from) / fresh) * (RAIN - 0.5), v = share(u, start, start + 0.5)
      const high = at.lanes[scheme] - at.lane - y - 8
      set(block, { transform: `translate(0 ${(high * (1 - v * v)).toFixed(1)})`, opacity: u > start ? 1 : 0 })
    })
  return u >= RAIN
}
