// Both averages as bells over one axis: before the result only their widths are known, and the place is a question mark.
const LANES = ["cape", "conventional"];

function averagesAxis(state, box) {
  const middle = (state.low + state.high) / 2,
    change = state.high - state.low;
  const wide = state.widths ? state.widths[1] : change;
  const found = state.averages ? Math.max(...state.averages.map((value) => Math.abs(value - middle))) : 0;
  const reach = Math.max(
    0.75 * change,
    Math.min(2.3 * wide, 1.6 * change),
    Math.min(1.15 * found, 3 * change),
  );
  const centre = (box.left + box.right) / 2,
    half = (box.right - box.left) / 2;
  return { middle, reach, x: (value) => centre + (half * (value - middle)) / reach };
}

// A normal density of height one, cut off at the ends of the axis.
function bell(at, box, mean, std, base, height) {
  const points = [],
    steps = 120;
  for (let i = 0; i <= steps; i++) {
    const x = mix(box.left, box.right, i / steps);
    const value = at.middle + ((x - (box.left + box.right) / 2) / ((box.right - box.left) / 2)) * at.reach;
    points.push(
      `${x.toFixed(1)} ${(base - height * Math.exp(-0.5 * ((value - mean) / std) ** 2)).toFixed(1)}`,
    );
  }
  return `M${box.left} ${base}L${points.join("L")}L${box.right} ${base}z`;
}

function paintAverages(scene, state, box) {
  const { averages } = scene,
    at = averagesAxis(state, box);
  const known = state.averages !== null && scene.settled;
  const lane = (box.bottom - box.top - 34) / 2;
  set(averages.range, {
    x: at.x(state.low),
    width: at.x(state.high) - at.x(state.low),
    y: box.top,
    height: box.bottom - box.top - 22,
  });
  averages.ends.forEach((text, i) => {
    write(text, short(i ? state.high : state.low));
    set(text, { x: at.x(i ? state.high : state.low), y: box.bottom - 4 });
  });
  LANES.forEach((name, i) => {
    const part = averages[name],
      base = box.top + (i + 1) * lane + i * 10;
    const mean = known ? mix(at.middle, state.averages[i], scene.drop) : at.middle;
    set(part.line, { x1: box.left, x2: box.right, y1: base, y2: base });
    set(part.bell, { d: state.widths ? bell(at, box, mean, state.widths[i], base, 0.82 * lane) : "" });
    set(part.group, { class: `${name}${known ? " known" : ""}` });
    set(part.dot, { visibility: known ? "visible" : "hidden" });
    move(part.dot, clamp(at.x(mean), box.left, box.right), base - 1);
    write(part.name, i ? "average with independent noise" : "average with noise that cancels (CAPE)");
    set(part.name, { x: box.left + 2, y: base - lane + 18 });
    write(part.big, !state.widths ? "" : known || state.averages === null ? state.texts[i] : "?");
    set(part.big, { x: box.right - 2, y: base - lane + 20 });
  });
  const mark = (part, value, words, y) => {
    const shown = value !== null && value !== undefined && known;
    set(part.group, { visibility: shown ? "visible" : "hidden" });
    if (!shown) return;
    const x = clamp(at.x(value), box.left, box.right);
    set(part.line, { x1: x, x2: x, y1: box.top + 2, y2: box.bottom - 22 });
    write(part.text, words);
    set(part.text, { x: clamp(x, box.left + 90, box.right - 90), y });
  };
  mark(averages.guess, state.guess, `guess ${state.guess === null ? "" : short(state.guess)}`, box.top - 4);
  const [truth, count, text] = state.revealed;
  mark(
    averages.truth,
    truth,
    `true average of ${count === 1 ? "1 phone" : `${count} phones`}: ${text}`,
    box.top - (state.guess === null ? 4 : 22),
  );
}

function buildAverages(parent) {
  const group = draw(parent, "g", { class: "averages" });
  const range = draw(group, "rect", { class: "range" });
  const lane = (name) => {
    const inner = draw(group, "g", { class: name });
    return {
      group: inner,
      bell: draw(inner, "path", { class: "bell" }),
      line: draw(inner, "line", { class: "axis" }),
      dot: draw(inner, "circle", { class: "mark", r: 9 }),
      name: draw(inner, "text", { class: "name" }),
      big: draw(inner, "text", { class: "big", "text-anchor": "end" }),
    };
  };
  const mark = (name) => {
    const inner = draw(group, "g", { class: name });
    return {
      group: inner,
      line: draw(inner, "line"),
      text: draw(inner, "text", { class: "said", "text-anchor": "middle" }),
    };
  };
  return {
    range,
    cape: lane("cape"),
    conventional: lane("conventional"),
    guess: mark("guess"),
    truth: mark("truth"),
    ends: [0, 1].map(() => draw(group, "text", { class: "quiet", "text-anchor": "middle" })),
  };
}
