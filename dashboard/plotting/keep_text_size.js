// Body of a callback, which is given: sizes, plot. It runs when a part's letters change, and when the plot gets its place.
const phone = window.innerWidth < 900
const HALLS = [[1500, 760, 1.4], [1800, 900, 1.55], [2400, 1250, 2], [3600, 1900, 3]] // As in shell.css.
const hall = HALLS.findLast(([w, h]) => window.innerWidth >= w && window.innerHeight >= h)?.[2] ?? 1.25
const large = plot.tags.includes("large")
const placed = cb_obj === plot
if (placed && (phone || !large)) return
const parts = placed ? [plot.title, ...plot.above, ...plot.below, ...plot.left, ...plot.right] : [cb_obj]
for (const part of parts) {
    if (placed && part.type === "Title" && part !== plot.title) continue // A line in small letters.
    for (const [name, plain] of Object.entries(sizes)) {
        if (!part || !(name in part.properties)) continue
        // A phone keeps the theme's letters, which are smaller, and takes none of a hall.
        if (phone && parseInt(part[name]) <= parseInt(plain)) continue
        const size = !phone && large ? Math.round(1.5 * parseInt(plain) * hall / 1.25) + "px" : plain
        if (part[name] !== size) part[name] = size
    }
}
