// The phones of the room as small devices with faces, in as many rows as the place has.
function phoneGrid(count, width, height, most) {
  let best = { size: 0 };
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns);
    const size = Math.min(most, (0.66 * width) / columns, height / (rows * 2.35));
    if (size > best.size) best = { size, columns, rows };
  }
  const { size, columns, rows } = best,
    gap = Math.min(width / columns, 2.1 * size),
    down = Math.min(height / rows, 2.6 * size);
  const left = (width - gap * columns) / 2 + gap / 2,
    top = (height - down * rows) / 2 + down / 2;
  return {
    size,
    at: (i) => {
      const row = Math.floor(i / columns),
        inRow = row === rows - 1 ? count - columns * (rows - 1) : columns;
      return [left + (i % columns) * gap + ((columns - inRow) * gap) / 2, top + row * down];
    },
  };
}

function drawPhone(parent, number, size) {
  const group = draw(parent, "g", { class: "phone" }),
    w = size,
    h = 1.62 * size;
  draw(group, "rect", { class: "body", x: -w / 2, y: -h / 2, width: w, height: h, rx: 0.2 * w });
  const face = size >= 13 ? draw(group, "g", { class: "mien" }) : null;
  if (face) {
    for (const side of [-1, 1]) {
      draw(face, "ellipse", { class: "eye", cx: 0.2 * w * side, cy: -0.16 * w, rx: 0.07 * w, ry: 0.1 * w });
      draw(face, "path", { class: "lid", d: `M${0.2 * w * side - 0.1 * w} ${-0.16 * w}h${0.2 * w}` });
    }
    draw(face, "path", {
      class: "mouth",
      d: `M${-0.17 * w} ${0.16 * w}Q0 ${0.36 * w} ${0.17 * w} ${0.16 * w}`,
    });
  }
  if (size >= 24)
    draw(
      group,
      "text",
      { class: "count", y: h / 2 + 0.42 * size, "text-anchor": "middle" },
      String(number + 1),
    );
  const letter = draw(group, "rect", {
    class: "letter",
    x: 0.16 * w,
    y: -h / 2 - 0.14 * w,
    width: 0.52 * w,
    height: 0.42 * w,
    rx: 2,
  });
  return { group, letter };
}

// Phones are kept by their number, so that a face does not jump when others come.
function paintPhones(scene, state, box) {
  const { layer, phones } = scene,
    seats = [...state.seats].sort((a, b) => a[0] - b[0]);
  const grid = phoneGrid(seats.length, box.width, box.height, box.most);
  const key = `${seats.map((seat) => seat[0])} ${grid.size.toFixed(1)} ${box.height}`;
  if (scene.key !== key) {
    const old = new Set(phones.keys());
    layer.replaceChildren();
    phones.clear();
    seats.forEach(([number], i) => {
      const phone = drawPhone(layer, number, grid.size),
        [x, y] = grid.at(i);
      phone.x = x;
      phone.y = y;
      move(phone.group, x, y);
      if (!old.has(number)) phone.group.classList.add("fresh");
      phones.set(number, phone);
    });
    scene.key = key;
  }
  scene.size = grid.size;
  scene.byPlace = new Map();
  const sent = new Set(scene.sent.map(([place]) => place)),
    shouted = new Set(state.shouted);
  for (const [number, kind, simulated, place] of seats) {
    const phone = phones.get(number);
    if (place >= 0) scene.byPlace.set(place, phone);
    const silent = state.phase === "result" && place >= 0 && !sent.has(place);
    const classes = [
      "phone",
      silent ? "gone" : kind,
      simulated ? "simulated" : "",
      shouted.has(place) ? "loud" : "",
    ];
    if (phone.group.classList.contains("fresh")) classes.push("fresh");
    set(phone.group, { class: classes.filter(Boolean).join(" ") });
    const holds = scene.act === "messages" && place >= 0 && !sent.has(place);
    set(phone.letter, { visibility: holds ? "visible" : "hidden" });
  }
}
