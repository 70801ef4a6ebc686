// Milliseconds after the last change at which the page is checked; several times, since some parts are painted late.
const PAUSES = [300, 1500, 4000];

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

const RULES = [
  // The question mark that explains a control: a label needs an element whose role allows one.
  ["span[aria-label]:not([role])", (e) => set(e, { role: "img" })],
  ["[role=progressbar]:not([aria-label])", (e) => set(e, { "aria-label": "Progress" })],
  // aria-checked is invalid on a table cell: state the value in its label.
  [
    ".tabulator-cell[aria-checked]",
    (e) => {
      set(e, { "aria-label": e.getAttribute("aria-checked") === "true" ? "yes" : "no" });
      e.removeAttribute("aria-checked");
    },
  ],
  // The scrolling element of a grid is the row group, not the table inside it.
  [
    ".tabulator-tableholder[tabindex]:not([role])",
    (e) => {
      set(e, { role: "rowgroup" });
      e.querySelectorAll(".tabulator-table[role=rowgroup]").forEach((table) =>
        set(table, { role: "presentation" }),
      );
    },
  ],
  // Scrolling elements must be reachable by keyboard.
  [".scroll:not([tabindex])", (e) => set(e, { tabindex: 0, role: "group", "aria-label": "Table" })],
  // The element of a figure that takes the keyboard focus.
  [
    "[class*=bk-events][tabindex]:not([aria-label])",
    (e) => set(e, { role: "group", "aria-label": "Plot area" }),
  ],
  // A text field that was added later: its label stands beside it and names nothing.
  [
    ".MuiFormControl-root input[type=text]:not([aria-label]):not([id])",
    (e) => {
      const label = e.closest(".MuiFormControl-root").querySelector("label");
      if (label?.textContent) set(e, { "aria-label": label.textContent });
    },
  ],
  // Icons are ligatures of a font: a screen reader must not read their names.
  [
    ".material-icons:not([aria-hidden]), .MuiIcon-root:not([aria-hidden])",
    (e) => set(e, { "aria-hidden": "true" }),
  ],
];

function* roots(root) {
  yield root;
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) yield* roots(element.shadowRoot);
}

const distinct = (texts) => [...new Set(texts)].filter((text) => typeof text === "string" && text);

function figure(model) {
  const titles = distinct([...model.above, model.title].map((part) => part?.text));
  const axes = distinct([...model.left, ...model.below].map((axis) => axis?.axis_label));
  const label = distinct([...titles, axes.join(" against ")]).join(": ") || "Figure";
  const element = Bokeh.index.find_one(model)?.el;
  if (element) set(element, { role: "figure", "aria-label": label });
}

export function render({ view }) {
  const doc = view.model.document;
  const look = () => {
    for (const root of roots(document))
      for (const [selector, mend] of RULES) root.querySelectorAll(selector).forEach(mend);
    for (const model of doc._all_models.values()) if (model.type === "Figure") figure(model);
  };
  let waiting = [];
  const soon = () => {
    waiting.forEach(clearTimeout);
    waiting = PAUSES.map((pause) => setTimeout(look, pause));
  };
  doc.on_change(soon);
  doc.idle.connect(soon);
  soon();
  return document.createElement("span");
}
