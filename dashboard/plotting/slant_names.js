// Body of a callback, which is given: names, plot, axis.
const longest = Math.max(0, ...names.factors.map((name) => String(name).length))
const slant = (8 * longest + 10) * names.factors.length > plot.inner_width ? 0.7 : 0
if (axis.major_label_orientation !== slant) axis.major_label_orientation = slant
