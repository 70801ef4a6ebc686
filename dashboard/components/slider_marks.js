// Marks under a slider that was played: a dot at each value, and its name below, in one row without overlap.
const GAP = 10,
  EDGE = 10; // Pixels between two names, and from the slider's end to its first value.

// Left edges of boxes of these widths, each as near to its middle `x` as the others and the ends allow; in order of x.
function spread(boxes, low, high) {
  let edge = low;
  for (const box of boxes) edge = (box.left = Math.max(edge, box.x - box.width / 2)) + box.width + GAP;
  edge = high;
  for (const box of boxes.toReversed()) edge = (box.left = Math.min(box.left, edge - box.width)) - GAP;
  return boxes;
}

function marked(input, texts, model) {
  const row = make("div", { class: "marks" });
  let what = null,
    placed = [];
  const lay = () => {
    const [min, max] = [input.min, input.max].map(Number),
      room = row.clientWidth;
    if (!room || !placed.length) return;
    const x = (value) => EDGE + (room - 2 * EDGE) * (max > min ? (value - min) / (max - min) : 0);
    const boxes = placed.map((one) => ({ ...one, x: x(one.place), width: one.name.offsetWidth }));
    boxes.sort((a, b) => a.x - b.x);
    const taken = boxes.reduce((sum, { width }) => sum + width + GAP, 0);
    what.hidden = what.offsetWidth + taken > room;
    spread(boxes, what.hidden ? 0 : what.offsetWidth + GAP, room);
    const before = (box, i) => boxes.slice(0, i).filter((other) => other.x === box.x).length;
    what.style.left = `${boxes[0].left - GAP - what.offsetWidth}px`;
    boxes.forEach((box, i) => {
      const alike = boxes.filter((other) => other.x === box.x).length;
      box.dot.style.left = `${box.x + 9 * (before(box, i) - (alike - 1) / 2)}px`;
      box.name.style.left = `${box.left}px`;
    });
  };
  const draw = () => {
    const { what: words = "", at = [] } =
      model.marks instanceof Map ? Object.fromEntries(model.marks) : (model.marks ?? {});
    const shown = at.map((one) => (one instanceof Map ? Object.fromEntries(one) : one));
    what = make("em", {}, words);
    placed = shown.flatMap(({ value, name, colour }) => {
      const place = texts ? texts.indexOf(String(value)) : value;
      const parts = { dot: make("i"), name: make("span", {}, name) };
      for (const part of Object.values(parts)) part.style.setProperty("--of", colour);
      return place < 0 ? [] : [{ place, ...parts, said: `${name} ${texts ? texts[place] : value}` }];
    });
    row.replaceChildren(...(placed.length ? [what] : []), ...placed.flatMap(({ dot, name }) => [dot, name]));
    // The names alone do not say where they stand.
    const said = { role: "img", "aria-label": `${words} ${placed.map((one) => one.said).join(", ")}`.trim() };
    for (const [name, text] of Object.entries(said))
      placed.length ? row.setAttribute(name, text) : row.removeAttribute(name);
    lay();
  };
  new ResizeObserver(lay).observe(row);
  model.on("marks", draw);
  draw();
  return { row, lay };
}
