const LARGE = 1060,
  HALL = 1600; // Pixels of width from which everything is drawn larger, and for the last row of a hall.
const LEAST = 0.75; // So much smaller are rows and lanes of a hall at least.

// How high rows are, and lanes of averages: everything fits a screen without scrolling.
function sizes(sites, wide, large) {
  const few = sites <= 6,
    some = sites <= 12;
  const row = few
    ? wide
      ? 38
      : 27
    : some
      ? wide
        ? 19
        : 16
      : sites <= 20
        ? Math.max(14.5, 260 / sites)
        : Math.max(4.8, 250 / sites);
  return { row: large * row, lane: large * (few ? (wide ? 62 : 40) : wide ? 56 : 38) };
}

// One scale for the rows and for the running sums beside them, so that a bar keeps its length when it moves over.
function scales(run, zero, local, { wide, x0, right, pad }) {
  const partial = run.values.map((v, s) => v + run.zero_sum[s]);
  const all = [run.values, partial, run.messages, run.conventional_messages].flat();
  // The noise changes under the thumb: the server says how far anything goes, and the scale stays.
  const most = run.room;
  const reach = 1.06 * Math.max(most.reach, ...all.map((x) => Math.abs(x - run.truth)));
  const sums = [...zero, ...local],
    low = Math.min(most.low, ...sums),
    high = Math.max(most.high, ...sums);
  if (!wide) {
    const half = (right - x0) / 2,
      far = 1.06 * Math.max(-low, high);
    return {
      partial,
      reach,
      half,
      x1: right,
      left: x0,
      middle: x0 + half,
      unit: Math.min(half / reach, (half - 20) / far),
    };
  }
  const room = right - x0 - 40,
    best = (room - 2 * pad) / (2 * reach + high - low);
  const width = clamp(best * (high - low) + 2 * pad, 0.3 * room, 0.46 * room),
    x1 = right - width - 40;
  const unit = Math.min((width - 2 * pad) / (high - low), (x1 - x0) / 2 / reach);
  const left = x1 + 40;
  return {
    partial,
    reach,
    half: (x1 - x0) / 2,
    x1,
    left,
    unit,
    middle: left + (width - unit * (high + low)) / 2,
  };
}

// Where everything stands, for the width of the page and the number of sites; rows are sites, x is a number. In a hall
// rows and lanes fit a picture that is `high` pixels high.
function layout(run, width, high = 0) {
  const sites = run.values.length,
    wide = width >= 680;
  const fit = (large) => {
    const { row, lane } = sizes(sites, wide, large),
      rest = 26 * large + 32 + 24 + 8 + 20 * large;
    return { large, row, lane, grow: wide && high ? (high - rest) / (sites * row + 2 * lane) : 1 };
  };
  let fitted = fit(width >= HALL ? 1.32 : width >= LARGE ? 1.25 : 1);
  if (fitted.grow < LEAST) fitted = fit(1); // A low screen has no room for larger letters.
  const { large } = fitted,
    grow = clamp(fitted.grow, LEAST, 1.35),
    row = grow * fitted.row,
    lane = grow * fitted.lane;
  const names = large * (wide ? (large > 1.3 ? 130 : 118) : 96),
    edge = 12,
    x0 = names + edge,
    right = width - (wide ? 2 : edge);
  const total = (xs) => xs.reduce((sums, x) => [...sums, sums[sums.length - 1] + x], [0]);
  const zero = total(run.zero_sum),
    local = total(run.local);
  const scale = scales(run, zero, local, { wide, x0, right, pad: large * 70 });
  const { x1, half, middle, unit, reach } = scale,
    centre = x0 + half;
  const top = 26 * large,
    bottom = top + sites * row;
  // On a narrow page the running sum stands below the rows.
  const step = wide ? row : Math.max(5, Math.min(14, 70 / sites));
  const walk = wide ? top : bottom + 28,
    home = walk + sites * step + 13;
  const line = (wide ? bottom : home) + (wide ? 32 : 54);
  // The averages have the whole width, and on a wide page a column for their numbers.
  const ends = wide ? width - large * 150 : x1,
    axis = (x0 + ends) / 2,
    long = (ends - x0) / 2;
  const first = line + (wide ? 24 : 18) + lane;
  return {
    sites,
    sent: run.order ? sites - 1 : sites, // All send, or all but the last.
    wide,
    row,
    reach,
    names,
    width,
    x0,
    x1,
    centre,
    half,
    top,
    bottom,
    line,
    lane,
    step,
    walk,
    home,
    zero,
    local,
    middle,
    large,
    ends,
    axis,
    partial: scale.partial,
    sumsLeft: scale.left,
    sumsRight: right,
    lanes: { cape: first, conventional: first + lane + 8 },
    height: first + lane + 8 + 20 * large,
    y: (s) => top + (s + 0.5) * row,
    x: (value) => centre + (half * (value - run.truth)) / reach,
    zoomed: (error) => axis + long * clamp(error / run.reach, -1, 1),
    sum: (total) => middle + unit * total,
    walkY: (s) => walk + (s + 0.5) * step,
    off: Math.min(7, 0.17 * row),
    lens: Math.min(half, (half * run.reach) / reach),
  };
}

const writer =
  (parent) =>
  (x, y, words, className = "", anchor = "start", into = parent) =>
    draw(into, "text", { x, y, class: className, "text-anchor": anchor }, words);

function buildRow(group, run, at, s) {
  const S = at.sites,
    y = at.y(s),
    value = run.values[s],
    text = writer(group);
  draw(group, "line", { x1: at.x0, x2: at.x1, y1: y, y2: y, class: "rail" });
  const size = Math.min(at.wide ? 40 : 28, (S <= 6 ? 0.68 : 0.82) * at.row);
  const head = S <= 24 ? face(group, size, "site") : null;
  if (head) move(head.group, size / 2 + 3, y);
  if (head) set(head.eyes, { style: `animation-delay: ${(s * 0.77) % 4}s` });
  if (S <= 20) text(size + 12, y + 5, run.names[s], at.row < 19 ? "name small" : "name");
  // The number stands on the far side of the true average, which its line marks; above the dot where there is room.
  const x = at.x(value),
    over = at.row > 28,
    away = x < at.centre ? -1 : 1;
  const clear = Math.abs(x - at.centre) < 26 * at.large ? at.centre + away * 26 * at.large : x;
  const words =
    S > 12
      ? null
      : over
        ? text(clamp(clear, at.x0 + 20, at.x1 - 20), y - at.off - 4, value.toFixed(3), "number", "middle")
        : text(x + away * 11, y + 4.5, value.toFixed(3), "number", away > 0 ? "start" : "end");
  const rival = draw(group, "line", { class: "rival bar" });
  const zero = draw(group, "line", { class: "zero bar" }),
    local = draw(group, "line", { class: "local bar" });
  const joint = draw(group, "line", { class: "joint" });
  const ghost = draw(group, "rect", { class: "message ghost" });
  const dot = draw(group, "circle", { class: "dot", r: Math.min(6, 0.3 * at.row) });
  const hit = draw(group, "rect", { class: "hit", x: 0, y: y - at.row / 2, width: at.x1, height: at.row });
  return { group, y, head, words, zero, local, rival, joint, ghost, dot, hit };
}

function buildWalk(group, at) {
  const text = writer(group),
    top = at.walk - 8 * at.large;
  draw(group, "rect", {
    class: "panel",
    x: at.sumsLeft,
    y: top,
    width: at.sumsRight - at.sumsLeft,
    height: at.home - top + 30,
    rx: 8,
  });
  draw(group, "line", { x1: at.middle, x2: at.middle, y1: at.walk - 6, y2: at.home - 6, class: "dashed" });
  const title = text(
    at.wide ? (at.sumsLeft + at.sumsRight) / 2 : at.sumsLeft + 4,
    at.wide ? 14 * at.large : at.walk - 12,
    "",
    "quiet",
    at.wide ? "middle" : "start",
  );
  const area = draw(group, "path", { class: "area" });
  const ring = draw(group, "circle", { class: "ring", cx: at.middle, cy: at.home, r: 8 });
  const house = draw(group, "path", { class: "home", d: "M-11 0L0 -10L11 0M-8 -2V9H8V-2" });
  const paths = {
    zero: draw(group, "path", { class: "zero path" }),
    local: draw(group, "path", { class: "local path" }),
  };
  const walkers = {
    zero: draw(group, "circle", { class: "zero walker", r: 6 }),
    local: draw(group, "circle", { class: "local walker", r: 6 }),
  };
  const said = { zero: text(0, 0, "", "said zero"), local: text(0, 0, "", "said local") };
  return { group, title, area, ring, house, paths, walkers, said };
}

function buildLane(result, at, scheme) {
  const y = at.lanes[scheme],
    group = draw(result, "g", { class: scheme }),
    text = writer(group);
  draw(group, "line", { x1: at.x0, x2: at.ends, y1: y, y2: y, class: "axis" });
  const name = text(
    4,
    at.wide ? y - 6 : y - 12,
    scheme === "cape" ? "CAPE" : "conventional",
    at.wide ? "name" : "name small",
  );
  const bell = draw(group, "path", { class: "bell" }),
    band = draw(group, "path", { class: "band" });
  const once = text(0, y - (at.wide ? 0.45 : 0.62) * at.lane, "", "quiet");
  const left = at.wide ? at.ends + 14 : 4;
  // A narrow page has room for one heading above both numbers.
  const small = text(left, at.wide ? y - 33 * at.large : at.line + 25, "", "quiet"),
    big = text(left, at.wide ? y - 5 : y + 4, "", "big");
  return {
    y,
    group,
    name,
    bell,
    band,
    once,
    small,
    big,
    blocks: draw(group, "g", { class: "blocks" }),
    miss: draw(group, "line", { class: "miss" }),
    meant: draw(group, "line", { class: "zero bar" }), // Blue noise that was to cancel and stays.
  };
}

// What stands in the two boxes until something is known: a question, and on both axes a mark that nobody can place yet.
// Where the bells stand already, the question is above them.
function buildQuestions(svg, at) {
  const group = draw(svg, "g", { class: "questions" }),
    text = writer(group),
    r = at.wide ? 12 : 8;
  const lead = text(
    (at.sumsLeft + at.sumsRight) / 2,
    (at.walk + at.home) / 2 + 6,
    "Will their noise cancel?",
    "question",
    "middle",
  );
  const far = draw(group, "g", { class: "far" }),
    marks = {};
  const y = at.line + (at.wide ? 31 : 22);
  text(at.axis, y, "How large will the average's error be?", "question", "middle", far);
  for (const scheme of ["cape", "conventional"]) {
    const y = at.lanes[scheme] - r - 2,
      mark = draw(far, "g", { class: `guess ${scheme}` }); // `playBell` says how far it goes.
    draw(
      mark,
      scheme === "cape" ? "circle" : "path",
      scheme === "cape"
        ? { cx: at.axis, cy: y, r }
        : { d: diamond(1.25 * r), transform: `translate(${at.axis} ${y})` },
    );
    text(at.axis, y, "?", "", "middle", mark);
    marks[scheme] = mark;
  }
  return { lead, far, marks };
}

// The scale on which the sites' values stand: round numbers, except beside the words about the true average.
function buildScale(parent, run, at) {
  const text = writer(parent),
    rough = at.reach / 1.5,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [5, 2, 1].find((times) => times * power <= rough),
    digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let k = Math.ceil((run.truth - at.reach) / step); k * step <= run.truth + at.reach; k++) {
    const x = at.x(k * step);
    if (Math.abs(x - at.centre) <= ((at.wide ? 78 : 54) + (run.order ? 16 : 0)) * at.large) continue;
    draw(parent, "line", { x1: x, x2: x, y1: at.top - 6, y2: at.top + 2, class: "axis" });
    text(x, 14 * at.large, (k * step).toFixed(digits).replace("-", "−"), "quiet", "middle");
  }
}

// All elements, once for each run and width; `acts` moves them.
function build(svg, run, width, high) {
  const at = layout(run, width, high);
  svg.replaceChildren();
  svg.classList.toggle("large", at.large > 1);
  svg.classList.toggle("hall", at.large > 1.3);
  set(svg, { width, height: at.height, viewBox: `0 0 ${width} ${at.height}` });
  const part = (className) => draw(svg, "g", { class: className }),
    text = writer(svg);
  const ground = part("ground"),
    truth = part("truth"),
    foot = at.height - 4;
  draw(ground, "path", {
    class: "lens",
    d: `M${at.centre - at.lens} ${at.line + 6}H${at.centre + at.lens}L${at.sumsRight} ${at.line + 24}V${foot - 14}H${at.x0}V${at.line + 24}z`,
  });
  draw(truth, "line", {
    x1: at.centre,
    x2: at.centre,
    y1: at.top - 6,
    y2: at.wide ? at.bottom + 10 : at.bottom,
    class: "dashed",
  });
  text(
    at.centre,
    14 * at.large,
    `${at.wide ? "true average" : "true"}${run.order ? ` of ${at.sent}:` : ""} ${run.truth.toFixed(3)}`,
    "quiet",
    "middle",
    truth,
  );
  const walk = buildWalk(part("walk"), at);
  const rows = run.values.map((_, s) => buildRow(part("row"), run, at, s));
  const lost = text(at.x1 - 4, at.y(at.sites - 1) + 5, "drops out", "lost", "end", part("row"));
  const desk = part("desk"),
    size = at.wide ? 32 : 24;
  const officer = face(desk, size, "aggregator");
  move(officer.group, size / 2 + 3, at.line);
  text(size + (at.wide ? 12 : 8), at.line + 5, "Aggregator", at.wide ? "name" : "name small", "start", desk);
  draw(desk, "line", { x1: at.x0, x2: at.x1, y1: at.line, y2: at.line, class: "axis" });
  const learns = text(at.x0 + 8, at.line - 8, "", "learns", "start", desk);
  buildScale(truth, run, at);
  const result = part("result"),
    ends = draw(result, "g", { class: "ends" });
  draw(result, "path", {
    class: "dashed",
    d: `M${at.centre} ${at.line + 6}L${at.axis} ${at.line + 24}V${foot - 14}`,
  });
  const far = at.wide ? `${short(run.reach)} ` : ""; // A narrow page has numbers enough.
  text(at.ends, foot, `${far}too high`, "quiet", "end", ends);
  text(at.x0, foot, `${far}too low`, "quiet", "start", ends);
  text(at.axis, foot, at.wide ? "true average" : "true", "quiet", "middle", result);
  if (at.wide) text(4, at.line + 32, "magnified", "quiet", "start", ends);
  const lanes = Object.fromEntries(
    ["cape", "conventional"].map((scheme) => [scheme, buildLane(result, at, scheme)]),
  );
  const questions = buildQuestions(svg, at);
  const flying = part("flying");
  const flights = run.values.map(() => ({
    zero: draw(flying, "line", { class: "zero bar" }),
    local: draw(flying, "line", { class: "local bar" }),
    letter: draw(flying, "rect", { class: "message" }),
    masked: draw(flying, "rect", { class: "masked" }),
    rival: draw(flying, "path", { class: "rival", d: diamond(Math.min(6, 0.32 * at.row + 2)) }),
  }));
  const marks = {
    cape: draw(flying, "circle", { class: "mark cape", r: 9 }),
    conventional: draw(flying, "path", { class: "mark conventional", d: diamond(10) }),
  };
  const rest = draw(flying, "line", { class: "local bar" });
  return {
    run,
    at,
    ground,
    rows,
    lost,
    walk,
    officer,
    ends,
    questions,
    lanes,
    flights,
    marks,
    rest,
    learns,
    tip: buildTip(svg),
    pointed: -1,
  };
}

// The same sites and the same normal numbers, with other amounts of each kind of noise: everything keeps its place.
const alike = (one, other) =>
  one.truth === other.truth &&
  one.noun === other.noun &&
  one.order === other.order &&
  one.reach === other.reach &&
  ["reach", "low", "high"].every((end) => one.room[end] === other.room[end]) &&
  one.further.cape.length === other.further.cape.length &&
  one.conventional === other.conventional;

// The run on its way from one to another; texts are those of the other.
function blend(from, to, u) {
  const numbers = (a, b) => (Array.isArray(b) ? b.map((x, i) => mix(a[i], x, u)) : mix(a, b, u));
  const found = { ...to };
  for (const name of ["zero_sum", "local", "messages", "average"])
    found[name] = numbers(from[name], to[name]);
  found.bands = { ...to.bands, cape: mix(from.bands.cape, to.bands.cape, u) };
  return found;
}

function refit(scene, run, width) {
  const { partial, zero, local } = layout(run, width); // None of them depends on the height.
  Object.assign(scene.at, { partial, zero, local });
  scene.run = run;
}
