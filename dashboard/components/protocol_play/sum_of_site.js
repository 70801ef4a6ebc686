// What one site's message is made of, beside its row: only the parts that have come.
function buildTip(svg) {
  const group = draw(svg, "g", { class: "tip" }),
    segments = {};
  for (const act of ["zero", "local"]) segments[act] = draw(group, "line", { class: `${act} segment` });
  const box = draw(group, "rect", { class: "box", rx: 6 }),
    words = draw(group, "text", { class: "formula" });
  const parts = ["value", "zero", "local", "sent"].map((name) => draw(words, "tspan", { class: name }));
  return { group, box, words, parts, segments };
}

// Rounded so that what is printed adds up: the last part takes the rounding of the others.
function printed(run, s) {
  const round = (x) => Math.round(x * 1e4) / 1e4;
  const value = round(run.values[s]),
    zero = round(run.zero_sum[s]),
    message = round(run.messages[s]);
  return { value, zero, local: round(message - value - zero), message };
}

function playTip(scene, t) {
  const { tip, at, run, pointed: s, rows } = scene;
  rows.forEach((row, i) => row.group.classList.toggle("aside", s >= 0 && i !== s));
  set(tip.group, { visibility: s >= 0 ? "visible" : "hidden" });
  if (s < 0) return;
  const { value, zero, local, message } = printed(run, s),
    add = (x) => `${x < 0 ? " − " : " + "}${Math.abs(x).toFixed(4)}`;
  const some = { zero: t > ENDS[1], local: t > ENDS[2], message: t > ENDS[3] };
  const texts = [
    value.toFixed(4),
    some.zero ? add(zero) : "",
    some.local ? add(local) : "",
    some.message ? ` = ${message.toFixed(4)} ${silent(scene, s) ? "not " : ""}sent` : "",
  ];
  tip.parts.forEach((part, i) =>
    write(part, some.zero || i ? texts[i] : `${texts[0]}, known to ${run.names[s]} alone`),
  );
  const wide = tip.words.getComputedTextLength() + 20,
    high = 26 * at.large;
  const x = clamp(at.x(run.values[s]) - wide / 2, 2, Math.max(2, at.width - wide - 2));
  const y = s ? at.y(s) - at.row / 2 - high : at.y(s) + at.row / 2;
  set(tip.box, { x, y, width: wide, height: high });
  set(tip.words, { x: x + 10, y: y + 0.68 * high });
  for (const act of ["zero", "local"]) {
    bar(tip.segments[act], at.sum(at[act][s]), at.sum(at[act][s + 1]), at.walkY(s), 7);
    if (!some[act]) set(tip.segments[act], { visibility: "hidden" });
  }
}

// A mouse looks at a site; a click or a tap keeps it.
function pointing(scene, paint) {
  let kept = -1;
  const look = (s) => {
    scene.pointed = s;
    paint();
  };
  scene.rows.forEach(({ hit }, s) => {
    hit.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") look(s);
    });
    hit.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") look(kept);
    });
    hit.addEventListener("click", () => {
      kept = kept === s ? -1 : s;
      look(kept);
    });
  });
}
