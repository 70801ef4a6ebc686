// What has not cancelled yet: from left to right one arrival after another, from the middle line back to it.
function walkFrame(scene, state, box) {
  const { top, bottom, left, right } = box,
    middle = (top + bottom) / 2,
    half = (bottom - top) / 2 - 6;
  const masks = state.form === "masks",
    noise = scene.act === "noise";
  const widest = Math.max(...state.lens, 1e-9);
  // Masked sums are parts of the ring; open ones wander as far as √S τ, which is twice the widest place of the lens.
  const reach = noise ? (masks ? 0.5 : 4 * widest) : 2.1 * widest;
  return {
    middle,
    half,
    box,
    x: (count) => left + ((right - left) * count) / Math.max(1, state.phones),
    y: (value) => middle - half * clamp(value / reach, -1, 1),
  };
}

function lensPath(state, at, from, to) {
  const counts = [];
  for (let count = from; count <= to; count++) counts.push(count);
  const upper = counts.map((count) => `${at.x(count).toFixed(1)} ${at.y(2 * state.lens[count]).toFixed(1)}`);
  const lower = counts
    .reverse()
    .map((count) => `${at.x(count).toFixed(1)} ${at.y(-2 * state.lens[count]).toFixed(1)}`);
  return `M${[...upper, ...lower].join("L")}z`;
}

function paintWalk(scene, state, box) {
  const { walk } = scene;
  const visible = state.phones > 0 && scene.act !== "lobby";
  set(walk.group, { visibility: visible ? "visible" : "hidden" });
  if (!visible) return null;
  const at = walkFrame(scene, state, box),
    noise = scene.act === "noise";
  const came = noise ? scene.mixed : scene.sent,
    done = came.length === state.phones;
  const hidden = state.form === "masks" && !noise;
  const title = noise
    ? state.form === "masks"
      ? "running sum of the masked numbers, on a ring"
      : "running sum of ê, which the laptop sees"
    : done
      ? "cancelled: each phone's own noise stays"
      : hidden
        ? state.phase === "result"
          ? "noise that did not cancel"
          : "blue noise so far: masks hide its value"
        : "running sum of the blue noise";
  write(walk.title, title);
  set(walk.title, { x: box.left, y: box.top - 10 });
  set(walk.line, { x1: box.left, x2: box.right, y1: at.middle, y2: at.middle });
  const lens = state.lens.length > 1 && !noise;
  set(walk.lens, { d: lens ? lensPath(state, at, 0, state.phones) : "" });
  set(walk.past, { d: lens && hidden && came.length ? lensPath(state, at, 0, came.length) : "" });
  const heights = came.map(([, height]) => height ?? 0);
  const stairs = heights.map((height, i) => `V${at.y(height).toFixed(1)}H${at.x(i + 1).toFixed(1)}`).join("");
  set(walk.path, {
    d: hidden ? "" : `M${at.x(0)} ${at.y(0)}${stairs}`,
    class: noise ? "mixed path" : "zero path",
  });
  const x = at.x(came.length),
    y = at.y(heights.at(-1) ?? 0),
    open = hidden ? 2 * state.lens[came.length] : 0;
  set(walk.bracket, { d: hidden && came.length && !done ? `M${x} ${at.y(open)}V${at.y(-open)}` : "" });
  move(walk.walker, x, y);
  const cancels = !noise || state.form === "masks";
  move(walk.house, box.right + 18, at.middle, done && cancels ? 1.5 : 1.2);
  set(walk.house, {
    class: done && cancels ? "home reached" : "home",
    visibility: cancels ? "inherit" : "hidden",
  });
  write(walk.said, walkWords(state, came, noise, done));
  const right = x < box.left + 0.6 * (box.right - box.left);
  set(walk.said, {
    x: x + (right ? 14 : -14),
    y: clamp(y - 12, box.top + 14, box.bottom),
    "text-anchor": right ? "start" : "end",
  });
  return at;
}

function walkWords(state, came, noise, done) {
  if (!came.length) return "";
  if (noise && state.form === "masks") return done ? "only T is left" : "pure chance";
  if (noise) return done ? "T" : "";
  if (done) return "back to 0";
  const stays = state.phase === "result" ? " stays" : "";
  return (
    (state.form === "generator" ? signed(came.at(-1)[1]) : `± ${short(state.lens[came.length])}`) + stays
  );
}

// A letter flies from its phone to the end of the walk.
function fly(scene, place, at, count, height, kind, calm) {
  const phone = scene.byPlace?.get(place);
  if (!phone || !at || calm) return;
  const letter = draw(scene.flying, "rect", {
    class: `letter ${kind}`,
    x: -8,
    y: -6.5,
    width: 16,
    height: 13,
    rx: 2,
  });
  const frames = [
    { transform: `translate(${phone.x}px, ${phone.y}px) scale(1.6)` },
    { transform: `translate(${at.x(count)}px, ${at.y(height)}px) scale(1)` },
  ];
  letter.animate(frames, { duration: 550, easing: "cubic-bezier(.4,0,.2,1)" }).onfinish = () =>
    letter.remove();
}
