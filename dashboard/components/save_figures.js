
// Save figures, the ids of Bokeh models in `plots`, as files named `name` of a `kind`: svg, or png for a projector.
const PIXELS = 1920
async function save({ plots, name, kind }) {
  for (const [i, id] of plots.entries()) {
    const view = [...Bokeh.index.find_by_id(id)][0]
    if (!view) continue
    const plot = view.model
    const backend = plot.output_backend
    const screen = Object.getOwnPropertyDescriptor(window, "devicePixelRatio")
    const painted = () => new Promise((resolve) => setTimeout(resolve, 150))
    plot.output_backend = "svg"
    await painted()
    if (kind === "png") {
      // The canvas is made anew, with as many pixels as the file will have.
      const ratio = Math.max(1, PIXELS / (plot.outer_width || PIXELS))
      Object.defineProperty(window, "devicePixelRatio", { ...screen, get: () => ratio })
      plot.output_backend = "canvas"
      await painted()
    }
    const blob = await [...Bokeh.index.find_by_id(id)][0].export(kind, true).to_blob()
    Object.defineProperty(window, "devicePixelRatio", screen)
    if (kind === "png") {
      plot.output_backend = "svg" // And once more, with the pixels of the screen.
      await painted()
    }
    plot.output_backend = backend
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = name + (plots.length > 1 ? "-" + (i + 1) : "") + "." + kind
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 2000)
  }
}
