
// Save figures, the ids of Bokeh models in `plots`, as files named `name` of a `kind`: svg or png.
async function save({ plots, name, kind }) {
  for (const [i, id] of plots.entries()) {
    const view = [...Bokeh.index.find_by_id(id)][0]
    if (!view) continue
    const plot = view.model
    const backend = plot.output_backend
    plot.output_backend = kind === "svg" ? "svg" : "canvas"
    await new Promise((resolve) => setTimeout(resolve, 150))
    const blob = await [...Bokeh.index.find_by_id(id)][0].export(kind, true).to_blob()
    plot.output_backend = backend
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = name + (plots.length > 1 ? "-" + (i + 1) : "") + "." + kind
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 2000)
  }
}
