// What a page needs of its browser, in the app and in a notebook.
function save({ filename, text, kind }) {
  const link = document.createElement("a")
  link.download = filename
  link.href = URL.createObjectURL(new Blob([text], { type: kind + ";charset=utf-8" }))
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

// One help note is open at a time; a click outside or Escape closes it. A click on a link to a page goes to `follow`,
// one on a link to the settings scrolls to them.
// Returns the function that ends this.
function followClicks(follow) {
  let help = null
  const clicks = (event) => {
    const path = event.composedPath()
    const now = path.find((part) => part.matches?.("details.help")) ?? null
    if (help && help !== now) help.open = false
    help = now
    const link = path.find((part) => part.tagName === "A")
    if (link?.getAttribute("href") === "#settings") {
      event.preventDefault()
      const side = [...within(document.body, ".side")].findLast((part) => part.offsetHeight)
      side?.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" })
    }
    const opens = link?.getAttribute("href")?.startsWith("?page=")
    if (opens && !event.ctrlKey && !event.metaKey && !event.shiftKey) follow(link, event)
  }
  const shut = (event) => {
    if (event.key !== "Escape" || !help?.open) return
    help.open = false
    help.querySelector("summary").focus()
    event.stopImmediatePropagation()
  }
  window.addEventListener("click", clicks, true)
  window.addEventListener("keydown", shut, true)
  return () => {
    window.removeEventListener("click", clicks, true)
    window.removeEventListener("keydown", shut, true)
  }
}

// All elements below a node that match, in shadow trees, too.
function* within(node, selector) {
  for (const part of node.querySelectorAll("*")) {
    if (part.matches(selector)) yield part
    if (part.shadowRoot) yield* within(part.shadowRoot, selector)
  }
}

// While the pointer is on a clause of the text about one curve, the other curves of its figures pale, and parts of
// drawings that are about something else. The server does not hear of it. Returns the function that ends this.
function followMarks(models) {
  const before = new Map()  // A renderer may have entries in several legends.
  let others = []
  let now
  const mute = (renderer, muted) => {
    if (!before.has(renderer)) before.set(renderer, renderer.muted)
    renderer.setv({ muted }, { sync: false })
  }
  // Not "pointerover", which a shadow tree keeps to itself while the pointer stays in it; a touch sends the other event.
  const over = (event) => {
    const mark = event.composedPath().find((part) => part.dataset?.mark)?.dataset.mark
    if (mark === now) return
    now = mark
    for (const [renderer, muted] of before) renderer.setv({ muted }, { sync: false })
    before.clear()
    for (const part of others) part.style.opacity = ""
    others = []
    if (mark === undefined) return
    const meant = (item) => item.visible && (item.label?.value ?? item.label ?? "").split("\u2002")[0].trim() === mark
    const about = [...within(document.body, "[data-about]")]
    if (about.some((part) => part.dataset.about === mark)) others = about.filter((part) => part.dataset.about !== mark)
    for (const part of others) part.style.opacity = 0.25
    const all = [...models()]
    for (const { items } of all.filter((model) => model.type === "Legend")) {
      if (!items.some(meant)) continue
      const lit = new Set(items.filter(meant).flatMap((item) => item.renderers))
      const rest = items.flatMap((item) => item.renderers).filter((renderer) => !lit.has(renderer))
      // A band has no entry, but the data of its curve.
      const kept = new Set([...lit].map((renderer) => renderer.data_source))
      const paled = new Set(rest.map((renderer) => renderer.data_source).filter((data) => !kept.has(data)))
      const bands = all.filter((model) => model.type === "GlyphRenderer" && paled.has(model.data_source))
      for (const renderer of new Set([...rest, ...bands])) mute(renderer, true)
      for (const renderer of lit) mute(renderer, false)
    }
  }
  const events = ["pointermove", "pointerdown"]
  for (const name of events) window.addEventListener(name, over, true)
  return () => { for (const name of events) window.removeEventListener(name, over, true) }
}
