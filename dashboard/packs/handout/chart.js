// One figure as SVG, drawn anew for every setting: a few lines, bars and dots need no library.

const DASHES = { solid: "", dashed: "8 5", dotted: "2 4", dotdash: "2 4 8 4", dashdot: "8 4 2 4" };
const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const power = (n) => (n === 0 ? "1" : n === 1 ? "10" : `10${[...String(n)].map((c) => SUPER[c]).join("")}`);

// A number with three significant digits: 0.05, 1.5, 20 000, 10⁻⁶, 1.8·10⁻¹⁶, as the app writes it.
function numberText(value) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "—";
  const exponent = Math.floor(Math.log10(Math.abs(value)) + 1e-12);
  const minus = (text) => text.replace("-", "−");
  if (exponent > -4 && exponent < 4)
    return minus(String(Number(value.toPrecision(Math.max(3, exponent + 1)))));
  if (exponent >= 4 && exponent < 6)
    return minus(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
  const mantissa = Number((value / 10 ** exponent).toPrecision(3));
  return mantissa === 1 ? power(exponent) : minus(`${mantissa}·`) + power(exponent);
}

// A positive number that something does not exceed, with three significant digits: rounded up but for rounding errors.
function atMostText(value) {
  if (!(value > 0) || !Number.isFinite(value)) return numberText(value);
  const exponent = Math.floor(Math.log10(value)),
    unit = 10 ** (exponent - Math.max(2, exponent < 6 ? exponent : 2));
  return numberText(Math.ceil((value / unit) * (1 - 1e-11)) * unit);
}
const BOUNDS = ["ε", "δ", "μ"]; // Symbols of what bounds a risk.
const equals = (symbol, value) =>
  `${symbol}\u00a0=\u00a0${typeof value === "string" ? value : BOUNDS.includes(symbol) ? atMostText(value) : numberText(value)}`;

// A δ given by its natural logarithm, however small: rounded up.
function logText(log) {
  if (Number.isNaN(log)) return "no value";
  if (log < -690) return "less than 10⁻³⁰⁰";
  return atMostText(Math.exp(log));
}

function ticksOf(axis, most) {
  if (axis.ticks) return axis.ticks;
  if (axis.log) {
    const first = Math.ceil(Math.log10(axis.low) - 1e-9),
      last = Math.floor(Math.log10(axis.high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / most)),
      decades = [];
    for (let n = Math.ceil(first / every) * every; n <= last; n += every) decades.push([10 ** n, power(n)]);
    if (decades.length > 2) return decades;
    const fine = [];
    for (let n = first - 1; n <= last; n++)
      for (const m of [1, 2, 5]) fine.push([m * 10 ** n, numberText(m * 10 ** n)]);
    return fine.filter(([v]) => v >= axis.low * (1 - 1e-9) && v <= axis.high * (1 + 1e-9));
  }
  const raw = (axis.high - axis.low) / most,
    size = 10 ** Math.floor(Math.log10(raw));
  const step =
    [1, 2, 5, 10].map((m) => m * size).find((s) => s >= raw && (!axis.whole || s >= 1)) ?? 10 * size;
  const found = [];
  for (let v = Math.ceil(axis.low / step - 1e-9) * step; v <= axis.high + 1e-9 * step; v += step) {
    const value = Math.abs(v) < step / 1e6 ? 0 : v;
    found.push([value, numberText(Number(value.toPrecision(6)))]);
  }
  return found;
}

function scale(axis, from, to) {
  const map = axis.log ? Math.log : (v) => v;
  const low = map(axis.low),
    high = map(axis.high);
  return (v) => from + ((map(v) - low) / (high - low)) * (to - from);
}

// Points of a curve as SVG commands; a gap where there is no value.
function path(xs, ys, x, y, axis) {
  let text = "",
    pen = "M";
  xs.forEach((v, i) => {
    const w = ys[i];
    if (!Number.isFinite(w) || w < axis.low || w > axis.high * (1 + 1e-9)) {
      pen = "M";
      return;
    }
    text += `${pen}${x(v).toFixed(1)},${y(w).toFixed(1)}`;
    pen = "L";
  });
  return text;
}

const MARKS = {
  line: (p, x, y, spec) =>
    `<path d="${path(p.x, p.y, x, y, spec.y)}" fill="none" stroke="${p.colour}" ` +
    `stroke-width="${p.width ?? 2.5}" stroke-dasharray="${DASHES[p.dash ?? "solid"]}" opacity="${p.alpha ?? 1}" ` +
    `stroke-linejoin="round"/>`,
  area: (p, x, y, spec) =>
    `<path d="${path(p.x, p.y, x, y, spec.y)}L${x(p.x.at(-1))},${y(spec.y.low)}L${x(p.x[0])},` +
    `${y(spec.y.low)}Z" fill="${p.colour}" opacity="0.14"/>`,
  bars: (p, x, y, spec) =>
    p.x
      .map((v, i) => {
        const left = x(v),
          right = x(p.to[i]),
          top = y(Math.min(p.y[i], spec.y.high));
        return (
          `<rect x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${Math.max(right - left - (p.gap ?? 0), 0.5).toFixed(1)}" ` +
          `height="${Math.max(y(spec.y.low) - top, 0).toFixed(1)}" fill="${p.colour}" opacity="${p.alpha ?? 1}"/>`
        );
      })
      .join(""),
  stems: (p, x, y) =>
    p.x
      .map(
        (v, i) =>
          `<line x1="${x(v).toFixed(1)}" x2="${x(v).toFixed(1)}" y1="${y(p.y[i]).toFixed(1)}" ` +
          `y2="${y(p.to[i]).toFixed(1)}" stroke="${p.colour}" stroke-width="${p.width ?? 5}"/>`,
      )
      .join(""),
  links: (p, x, y) =>
    p.x
      .map(
        (v, i) =>
          `<line x1="${x(v).toFixed(1)}" y1="${y(p.y[i]).toFixed(1)}" x2="${x(p.toX)}" ` +
          `y2="${y(p.toY)}" stroke="var(--quiet)" opacity="0.4"/>`,
      )
      .join(""),
  dots: (p, x, y, spec) =>
    p.x
      .map((v, i) => {
        if (!(p.y[i] >= spec.y.low && p.y[i] <= spec.y.high)) return "";
        const [cx, cy, r] = [x(v), y(p.y[i]), p.size ?? 5];
        const look = `fill="${p.hollow ? "var(--paper)" : p.colour}" stroke="${p.hollow ? p.colour : "var(--paper)"}" stroke-width="${p.hollow ? 2 : 1.5}"`;
        if (p.shape === "square")
          return `<rect x="${cx - r}" y="${cy - r}" width="${2 * r}" height="${2 * r}" ${look}/>`;
        if (p.shape === "diamond")
          return `<path d="M${cx},${cy - 1.3 * r}L${cx + 1.3 * r},${cy}L${cx},${cy + 1.3 * r}L${cx - 1.3 * r},${cy}Z" ${look}/>`;
        return `<circle cx="${cx}" cy="${cy}" r="${r}" ${look}/>`;
      })
      .join(""),
  rule: (p, x, y, spec) => {
    const [a, b] =
      p.x !== undefined
        ? [
            [x(p.x), y(spec.y.low)],
            [x(p.x), y(spec.y.high)],
          ]
        : [
            [x(spec.x.low), y(p.y)],
            [x(spec.x.high), y(p.y)],
          ];
    return (
      `<line x1="${a[0]}" y1="${a[1]}" x2="${b[0]}" y2="${b[1]}" stroke="${p.colour ?? "var(--quiet)"}" ` +
      `stroke-width="1.5" stroke-dasharray="${DASHES[p.dash ?? "dashed"]}"/>`
    );
  },
  band: (p, x, y, spec) =>
    `<rect x="${x(spec.x.low)}" y="${y(p.high)}" width="${x(spec.x.high) - x(spec.x.low)}" ` +
    `height="${y(p.low) - y(p.high)}" fill="${p.colour}" opacity="0.07"/>`,
};

// Draw a figure into its box: { title, x, y: axes { low, high, log, text, ticks }, parts: marks, legend, height, says }.
function chart(box, spec) {
  const wide = Math.max(box.clientWidth, 260),
    narrow = wide < 520,
    high = spec.height ?? 340;
  const xTicks = ticksOf(spec.x, narrow ? 5 : 9),
    yTicks = spec.y.hide ? [] : ticksOf(spec.y, 6);
  const longest = Math.max(0, ...yTicks.map(([, text]) => text.length));
  const left = spec.y.hide ? 14 : 30 + 8.4 * longest,
    right = wide - 14,
    top = 10,
    bottom = high - 44;
  const x = scale(spec.x, left, right),
    y = scale(spec.y, bottom, top);
  const lines = [
    ...xTicks.map(
      ([v, text]) =>
        `${spec.x.bare ? "" : `<line class="grid" x1="${x(v)}" x2="${x(v)}" y1="${top}" y2="${bottom}"/>`}` +
        `<text x="${x(v)}" y="${bottom + 18}" text-anchor="middle">${text}</text>`,
    ),
    ...yTicks.map(
      ([v, text]) =>
        `<line class="grid" x1="${left}" x2="${right}" y1="${y(v)}" y2="${y(v)}"/>` +
        `<text x="${left - 8}" y="${y(v) + 4.5}" text-anchor="end">${text}</text>`,
    ),
  ];
  const parts = spec.parts.map((p) => MARKS[p.kind](p, x, y, spec)).join("");
  const axes = `<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`;
  const names =
    `<text class="name" x="${(left + right) / 2}" y="${high - 6}" text-anchor="middle">${spec.x.text}</text>` +
    (spec.y.hide
      ? ""
      : `<text class="name" transform="translate(14 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${spec.y.text}</text>`);
  const legend = spec.legend
    .map((p) => `<li><svg width="26" height="12" aria-hidden="true">${sign(p)}</svg>${p.label}</li>`)
    .join("");
  box.innerHTML =
    `${spec.title ? `<h3>${spec.title}</h3>` : ""}${legend ? `<ul class="legend">${legend}</ul>` : ""}` +
    `<svg role="img" aria-label="${spec.says}" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">` +
    `<defs><clipPath id="clip-${box.id}"><rect x="${left}" y="0" width="${right - left + 8}" height="${bottom + 6}"/></clipPath></defs>` +
    `${lines.join("")}${axes}<g clip-path="url(#clip-${box.id})">${parts}</g>${names}</svg>`;
}

function sign(p) {
  if (p.kind === "dots")
    return MARKS.dots(
      { ...p, x: [13], y: [6], size: 5 },
      (v) => v,
      (v) => v,
      { y: { low: 0, high: 12 } },
    );
  const width = p.block ? 10 : (p.width ?? 3);
  return `<line x1="0" x2="26" y1="6" y2="6" stroke="${p.colour}" stroke-width="${width}" stroke-dasharray="${DASHES[p.dash ?? "solid"]}" opacity="${p.alpha ?? 1}"/>`;
}
