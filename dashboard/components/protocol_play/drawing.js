const SVG = "http://www.w3.org/2000/svg";

const set = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    const text = typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
  return element;
};
const draw = (parent, name, attributes = {}, text = "") => {
  const element = set(document.createElementNS(SVG, name), attributes);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
};
const make = (name, className, text = "") => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
};
const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// Two significant digits, with a true minus sign.
const short = (x, digits = 2) => Number(x.toPrecision(digits)).toString().replace("-", "−");
// Three digits of a positive number: two such numbers have the ratio that is told beside them.
const three = (x) => (x < 100 ? x.toPrecision(3) : String(Math.round(x)));
const signed = (x, digits = 2) => (x < 0 ? "" : "+") + short(x, digits);

const diamond = (r) => `M0 ${-r}L${r} 0L0 ${r}L${-r} 0z`;
const move = (element, x, y, size = 1) =>
  set(element, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${size.toFixed(3)})` });

// A head whose eyes look to where its value is; `kind` is its class.
function face(parent, size, kind) {
  const group = draw(parent, "g", { class: `face ${kind}` });
  const r = size / 2;
  draw(group, "rect", { class: "head", x: -r, y: -0.74 * r, width: size, height: 1.6 * r, rx: 0.22 * size });
  const eyes = draw(group, "g", { class: "eyes" });
  for (const side of [-1, 1])
    draw(eyes, "ellipse", { cx: 0.21 * size * side, cy: -0.04 * size, rx: 0.065 * size, ry: 0.1 * size });
  draw(group, "path", {
    class: "mouth",
    d: `M${-0.16 * size} ${0.2 * size}Q0 ${0.33 * size} ${0.16 * size} ${0.2 * size}`,
  });
  return {
    group,
    eyes,
    look: (u) => set(eyes, { transform: `translate(${(0.12 * size * clamp(u, -1, 1)).toFixed(2)} 0)` }),
  };
}
