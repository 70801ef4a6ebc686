// Body of a callback, which is given: plot, legends, width.
const entry = plot.tags.includes("large") && window.innerWidth >= 900 ? 1.5 * width : width
// Before the first layout the width is unset, and to read it is an error; the layout calls this again.
for (const legend of plot.properties.inner_width.is_unset ? [] : legends) {
    const per_row = Math.max(1, Math.floor((plot.inner_width + 40) / entry))
    const columns = Math.min(per_row, Math.max(1, legend.items.length))
    if (legend.ncols !== columns) legend.ncols = columns
}
