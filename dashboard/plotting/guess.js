// Body of a tap's callback, which is given: cover, guesses, plot, names.
if (!cover.visible || guesses.data.x.length >= names.length) return
if (!Bokeh.index.find_one(plot).frame.bbox.contains(cb_obj.sx, cb_obj.sy)) return
const {x, y} = guesses.data
guesses.data = {x: [...x, cb_obj.x], y: [...y, cb_obj.y], name: [...names].slice(0, x.length + 1)}
