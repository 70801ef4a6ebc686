// Further runs fall as blocks into one histogram for each scheme. `rained` of them have landed or are falling.
const FALLS = 0.75; // Seconds that a block takes.

const typical = (scene, scheme) => {
  const { run } = scene,
    first = scheme === "cape" ? run.average : run.conventional;
  const errors = [first, ...run.further[scheme].slice(0, scene.rained)].map((value) => value - run.truth);
  return Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
};

// Blocks of all runs, each on top of those before it; where a block starts is its average on the aggregator's line.
function stack(scene, scheme) {
  const { run, at, lanes } = scene,
    lane = lanes[scheme],
    counts = new Map();
  const first = scheme === "cape" ? run.average : run.conventional,
    wide = clamp((at.ends - at.x0) / 38, 7, 24);
  const places = [first, ...run.further[scheme]].map((value) => {
    const column = Math.floor((at.zoomed(value - run.truth) - at.axis) / wide);
    counts.set(column, (counts.get(column) ?? 0) + 1);
    return { column, level: counts.get(column) - 1, begin: at.x(value) };
  });
  const high = Math.min(10 * at.large, (at.lane - 6) / Math.max(1, ...counts.values()));
  lane.blocks.replaceChildren();
  return places.map(({ column, level, begin }, i) => {
    const x = at.axis + column * wide + 0.5,
      y = lane.y - 3 - (level + 1) * high;
    const block = draw(lane.blocks, "rect", {
      class: i ? "block" : "block first",
      x,
      y,
      width: wide - 1,
      height: Math.max(1, high - 1),
      rx: 2,
    });
    return { block, dx: begin - x - wide / 2, dy: at.line - y };
  });
}

// The rain `u` seconds after it began with run `from`: a run's two averages leave the aggregator together, spread
// through the lens, fall, and settle.
function fall(scene, from, u) {
  const { stacks, run } = scene,
    total = run.further.cape.length,
    fresh = Math.max(1, total - from);
  scene.rained = total;
  for (const scheme of ["cape", "conventional"])
    stacks[scheme].forEach(({ block, dx, dy }, i) => {
      const start = i <= from ? -FALLS : ((i - 1 - from) / fresh) * (RAIN - FALLS),
        v = share(u, start, start + FALLS);
      const drop = v < 0.8 ? (v / 0.8) ** 2 : 1 - 0.06 * Math.sin((Math.PI * (v - 0.8)) / 0.2);
      set(block, {
        transform: `translate(${(dx * (1 - soft(v, 0, 0.7))).toFixed(1)} ${(dy * (1 - drop)).toFixed(1)})`,
        opacity: u > start ? Math.min(1, 0.3 + 3 * v) : 0,
      });
    });
  return u >= RAIN;
}
