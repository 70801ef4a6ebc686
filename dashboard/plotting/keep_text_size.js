// Body of a callback, which is given: sizes, plot.
const phone = window.innerWidth < 900
for (const [name, plain] of Object.entries(sizes)) {
    if (!(name in cb_obj.properties)) continue
    // A phone keeps the theme's letters, which are smaller, and takes none of a hall.
    if (phone && parseInt(cb_obj[name]) <= parseInt(plain)) continue
    const size = !phone && plot.tags.includes("large") ? Math.round(1.5 * parseInt(plain)) + "px" : plain
    if (cb_obj[name] !== size) cb_obj[name] = size
}
