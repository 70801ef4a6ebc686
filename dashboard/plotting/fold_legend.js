// Body of a callback, which is given: plot, legends, width.
const entry = plot.tags.includes("large") && window.innerWidth >= 900 ? 1.5 * width : width
for (const legend of legends) {
    const per_row = Math.max(1, Math.floor((plot.inner_width + 40) / entry))
    const columns = Math.min(per_row, Math.max(1, legend.items.length))
    if (legend.ncols !== columns) legend.ncols = columns
}
