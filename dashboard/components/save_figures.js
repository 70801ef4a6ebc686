// Save figures, the ids of Bokeh models in `plots`, as files named `name` of a `kind`: svg, or png for a projector.
const PIXELS = 1920,
  FAINT = 0.2;

// What guides the eye on a screen alone: the rule at the present setting, and a chart's hollow points and pale lines.
// They leave the figure without a word to the server; the result puts them back.
function leaveOut(plot) {
  const rules = plot.center.filter((one) => one.type === "Span" && one.dimension === "height" && one.visible);
  const before = rules.map((one) => [one, { visible: true }]);
  for (const { data_source: source } of plot.renderers) {
    const { note, dash, ...columns } = source?.data ?? {},
      [name, by] = note ? ["size", "fill"] : ["alpha", "alpha"];
    if (!note && !dash) continue;
    before.push([source, { data: source.data }]);
    const seen = [...columns[name]].map((value, place) => (columns[by][place] > FAINT ? value : 0));
    source.setv({ data: { ...source.data, [name]: seen } }, { sync: false });
  }
  for (const one of rules) one.setv({ visible: false }, { sync: false });
  return () => {
    for (const [one, values] of before) one.setv(values, { sync: false });
  };
}

async function save({ plots, name, kind }) {
  // A figure that the page leaves out has no picture.
  const views = plots
    .map((id) => [...Bokeh.index.find_by_id(id)][0])
    .filter((view) => view?.el.getBoundingClientRect().width);
  for (const [i, { model: plot }] of views.entries()) {
    const backend = plot.output_backend;
    const screen = Object.getOwnPropertyDescriptor(window, "devicePixelRatio");
    const painted = () => new Promise((resolve) => setTimeout(resolve, 150));
    const putBack = leaveOut(plot);
    plot.output_backend = "svg";
    await painted();
    if (kind === "png") {
      // The canvas is made anew, with as many pixels as the file will have.
      const ratio = Math.max(1, (PIXELS + 1) / (plot.outer_width || PIXELS)); // A canvas has whole pixels, rounded down.
      Object.defineProperty(window, "devicePixelRatio", { ...screen, get: () => ratio });
      plot.output_backend = "canvas";
      await painted();
    }
    const blob = await [...Bokeh.index.find_by_id(plot.id)][0].export(kind, true).to_blob();
    Object.defineProperty(window, "devicePixelRatio", screen);
    if (kind === "png") {
      plot.output_backend = "svg"; // And once more, with the pixels of the screen.
      await painted();
    }
    putBack();
    plot.output_backend = backend;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${name + (views.length > 1 ? `-${i + 1}` : "")}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 2000);
  }
}
