// Body of a click's asynchronous callback, which is given: plots, kind, name.
for (const [i, plot] of plots.entries()) {
  const backend = plot.output_backend
  plot.output_backend = kind === "svg" ? "svg" : "canvas"
  const view = Bokeh.index.find_one(plot)
  await new Promise((resolve) => setTimeout(resolve, 150))
  const blob = await view.export(kind, true).to_blob()
  plot.output_backend = backend
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name + (plots.length > 1 ? "-" + (i + 1) : "") + "." + kind
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 2000)
}
