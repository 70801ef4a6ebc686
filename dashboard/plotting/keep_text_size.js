// Body of a callback, which is given: sizes, plot.
if (window.innerWidth < 900) return
for (const [name, plain] of Object.entries(sizes)) {
    if (!(name in cb_obj.properties)) continue
    const size = plot.tags.includes("large") ? Math.round(1.5 * parseInt(plain)) + "px" : plain
    if (cb_obj[name] !== size) cb_obj[name] = size
}
