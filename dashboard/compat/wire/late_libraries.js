// Loads libraries that few pages need. Run once, between the libraries and the page; given: late, which maps
// "formulas" and "tables" to addresses. The files of one name are loaded in their order.
const loaded = new Map()
const load = (url) => new Promise((done, failed) => {
  const sheet = /[.]css([?]|$)/.test(url)
  const part = document.createElement(sheet ? "link" : "script")
  if (sheet) part.rel = "stylesheet"
  part[sheet ? "href" : "src"] = url
  part.async = false
  part.onload = done
  part.onerror = () => failed(new Error(`${url} could not be loaded`))
  document.head.append(part)
})
const need = (name) => {
  if (!loaded.has(name)) loaded.set(name, Promise.all((late[name] ?? []).map(load)))
  return loaded.get(name)
}

// Formulas: every text asks this provider for its formulas. Until a text has one, a stand-in finds none; the real
// library then draws all texts again that have some.
const FORMULA = /\$\$|\\\[|\\\(/
if (late.formulas?.length) {
  const provider = Bokeh.require("models/text/providers").default_provider
  let asked = false
  const ask = async () => {
    if (asked) return
    asked = true
    await need("formulas").catch(console.error)
    await provider.fetch()
    for (const document of Bokeh.documents)
      for (const model of document._all_models.values())
        if (typeof model.text === "string" && FORMULA.test(model.text)) model.properties.text.change.emit()
  }
  const find_tex = (text) => {
    if (FORMULA.test(text)) ask()
    return []
  }
  const tex2svg = () => {
    ask()
    return document.createElement("span")
  }
  provider._mathjax = { find_tex, tex2svg }
  provider.status = "loaded"
}

// Tables: a view is complete only after its `lazy_initialize`.
if (late.tables?.length) {
  const view = Bokeh.Models.get("panel.models.tabulator.DataTabulator").prototype.default_view.prototype
  const initialize = view.lazy_initialize
  view.lazy_initialize = async function () {
    await need("tables").catch(console.error)
    return initialize.call(this)
  }
}
