// Sliders, navigation, theme, and the address, which holds the settings: a link or a bookmark opens the same picture.

const state = Object.fromEntries(Object.entries(FACTS.settings).map(([name, one]) => [name, one.value]));
const chosen = { family: FACTS.families[0], step: FACTS.steps.at(-1) };
const drawn = { key: "", run: null, again: null };
let front = FACTS.front;
const POSITIONS = 400;

const byId = (id) => document.getElementById(id);
const make = (tag, attributes = {}, text = "") => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};

const highest = (name) => (name === "colluding" ? state.sites - 1 : FACTS.settings[name].high);

// The nearest value that a setting can have; the averages of the records are drawn for some sizes of a site only.
function allowed(name, value) {
  const one = FACTS.settings[name];
  if (!Number.isFinite(value)) return one.value;
  const within = Math.min(Math.max(value, one.low), highest(name));
  if (name === "samples")
    return FACTS.stops.reduce((a, b) =>
      Math.abs(Math.log(b / within)) < Math.abs(Math.log(a / within)) ? b : a,
    );
  return one.whole ? Math.round(within) : within;
}

function valueAt(name, position) {
  const { low, log } = FACTS.settings[name],
    high = highest(name);
  if (name === "samples") return FACTS.stops[position];
  if (!log) return position;
  return allowed(name, Number((low * (high / low) ** (position / POSITIONS)).toPrecision(3)));
}

function positionOf(name) {
  const { low, log } = FACTS.settings[name],
    high = highest(name);
  if (name === "samples") return FACTS.stops.indexOf(state.samples);
  return log ? (POSITIONS * Math.log(state[name] / low)) / Math.log(high / low) : state[name];
}

function put(values) {
  for (const [name, value] of Object.entries(values)) {
    if (name in state) state[name] = allowed(name, Number(value));
    else if (name === "family" && FACTS.families.includes(value)) chosen.family = value;
    else if (name === "step") chosen.step = FACTS.steps[Number(value) - 1] ?? chosen.step;
  }
  state.colluding = Math.min(state.colluding, state.sites - 1);
}

// What is drawn at random stays until the settings that it depends on change, or new noise is asked for.
function noiseOf() {
  const key = [state.sites, state.samples, state.epsilon, state.delta].join();
  if (drawn.key !== key) {
    const tau = averageNoise(state).message,
      values = FACTS.values[FACTS.stops.indexOf(state.samples)].slice(0, state.sites);
    if (drawn.unit?.sites !== state.sites)
      drawn.unit = {
        sites: state.sites,
        run: drawRun(new Array(state.sites).fill(0), 1),
        again: repeat(state.sites),
      };
    const unit = drawn.unit.run,
      truth = sum(values) / state.sites,
      scaled = (part) => part.map((v) => tau * v);
    const zeroSum = scaled(unit.zeroSum),
      local = scaled(unit.local);
    drawn.run = {
      values,
      zeroSum,
      local,
      messages: values.map((v, i) => v + zeroSum[i] + local[i]),
      truth,
      average: truth + tau * unit.average,
      conventional: truth + tau * unit.conventional,
    };
    drawn.key = key;
  }
  return { run: drawn.run, again: drawn.unit.again };
}

const settingText = (name) => `${FACTS.settings[name].label} = ${numberText(state[name])}`;

function draw() {
  const known = FACTS.pages.find((page) => page.name === front),
    page = PAGES[front];
  const found = page.draw(state, { ...chosen, ...(front === "protocol" ? noiseOf() : {}) });
  byId("words").innerHTML = found.words;
  byId("promise").textContent = found.promise;
  for (const name of page.boxes) {
    const spec = found[name];
    chart(byId(`figure-${name}`), {
      ...spec,
      says: `${spec.title ?? known.title}: ${spec.y.text ?? "density"} against ${spec.x.text}`,
    });
  }
  for (const name of known.controls) {
    const input = byId(`set-${name}`);
    if (name === "colluding") input.max = state.sites - 1;
    input.value = positionOf(name);
    input.setAttribute("aria-valuetext", numberText(state[name]));
    byId(`value-${name}`).textContent = numberText(state[name]);
  }
  for (const button of document.querySelectorAll("[data-option]"))
    button.setAttribute("aria-pressed", String(button.dataset.option === chosen[button.dataset.of]));
  byId("settings").textContent = [
    ...known.controls.map(settingText),
    ...(page.family ? [`${page.family.label} = ${chosen[page.family.name]}`] : []),
  ].join(" · ");
  const query = known.controls
    .filter((name) => state[name] !== FACTS.settings[name].value)
    .map((name) => `${name}=${state[name]}`)
    .join("&");
  history.replaceState(null, "", `#${front}${query ? `?${query}` : ""}`);
}

function slider(name) {
  const one = FACTS.settings[name],
    box = make("div", { class: "control" });
  const head = make("label", { for: `set-${name}` }, one.label);
  head.append(make("output", { id: `value-${name}`, for: `set-${name}` }));
  const stops = name === "samples",
    most = stops ? FACTS.stops.length - 1 : one.log ? POSITIONS : highest(name);
  const input = make("input", {
    type: "range",
    id: `set-${name}`,
    min: one.log ? 0 : one.low,
    max: most,
    step: 1,
  });
  input.addEventListener("input", () => {
    put({ [name]: valueAt(name, Number(input.value)) });
    draw();
  });
  box.append(head, input, make("p", { class: "doc" }, one.doc));
  return box;
}

function options({ name, label, options: names }) {
  const box = make("div", { class: "options", role: "group", "aria-label": label });
  for (const option of names) {
    const button = make("button", { type: "button", "data-option": option, "data-of": name }, option);
    button.addEventListener("click", () => {
      chosen[name] = option;
      draw();
    });
    box.append(button);
  }
  return box;
}

function open(name) {
  front = name in PAGES ? name : ["start", "averaging"].includes(name) ? "protocol" : FACTS.front; // Its names before.
  const known = FACTS.pages.find((page) => page.name === front),
    page = PAGES[front];
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.page === front) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${known.title} · CAPE Lab handout`;
  byId("heading").textContent = known.heading;
  byId("lead").textContent = known.lead;
  const presets = known.presets.map((preset) => {
    const button = make("button", { type: "button" }, preset.title);
    button.addEventListener("click", () => {
      put(preset.values);
      draw();
    });
    return button;
  });
  byId("presets").replaceChildren(...presets);
  const [primary, ...others] = known.controls;
  byId("primary").replaceChildren(slider(primary));
  const extra = [];
  if (page.button) {
    const button = make("button", { type: "button", class: "main" }, page.button);
    button.addEventListener("click", () => {
      drawn.key = "";
      drawn.unit = null;
      draw();
    });
    extra.push(button);
  }
  byId("choice").replaceChildren(...(page.family ? [options(page.family)] : []), ...extra);
  byId("others").replaceChildren(...others.map(slider));
  byId("random").hidden = front !== "protocol";
  const [main, ...more] = page.boxes.map((box) => make("figure", { id: `figure-${box}` }));
  byId("figure").replaceChildren(main);
  byId("more").replaceChildren(...more);
  draw();
}

// "#gain?sites=12" opens a page with settings.
function go() {
  const [name, query = ""] = decodeURIComponent(location.hash.slice(1)).split("?");
  put(Object.fromEntries(new URLSearchParams(query)));
  open(name || FACTS.front);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").setAttribute("aria-pressed", String(dark));
}

byId("pages").replaceChildren(
  ...FACTS.pages.map((page) => make("a", { href: `#${page.name}`, "data-page": page.name }, page.title)),
);
byId("pages").addEventListener("click", (event) => {
  if (!event.target.dataset.page) return;
  event.preventDefault();
  open(event.target.dataset.page);
  window.scrollTo(0, 0);
});
const wish = window.matchMedia("(prefers-color-scheme: dark)");
setTheme(wish.matches);
wish.addEventListener("change", () => setTheme(wish.matches));
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
window.addEventListener("hashchange", go);
let width = 0;
new ResizeObserver(([seen]) => {
  if (seen.contentRect.width === width) return;
  width = seen.contentRect.width;
  requestAnimationFrame(draw);
}).observe(byId("figure"));
go();
