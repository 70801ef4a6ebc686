// Builds the live page behind the static picture, once that is painted, and takes the picture away when it stands.
{
  const template = document.getElementById("live-page")
  const parts = [...template.content.childNodes]
  for (const script of template.content.querySelectorAll("script[src]:not([type=module])")) {
    const link = document.createElement("link")
    Object.assign(link, { rel: "preload", as: "script", href: script.getAttribute("src") })
    document.head.append(link)
  }

  // Scripts of a template do not run: copies of them do, in their order.
  const build = async () => {
    let fetched = []
    for (const part of parts) {
      if (part.tagName !== "SCRIPT") {
        // The frame adds its theme to the end of the head; what it replaces must stand before it.
        const sheet = part.tagName === "LINK" || part.tagName === "STYLE"
        ;(sheet ? document.head : document.body).append(part)
        continue
      }
      const script = document.createElement("script")
      for (const { name, value } of part.attributes) script.setAttribute(name, value)
      script.text = part.text
      if (script.src) {
        script.async = false
        fetched.push(new Promise((done) => { script.onload = script.onerror = done }))
      } else {
        await Promise.all(fetched)
        fetched = []
      }
      document.body.append(script)
    }
    template.remove()
  }

  // The first element of a class inside the live page, whose parts have roots of their own.
  const find = (root, name) => {
    for (const part of root.querySelectorAll("*")) {
      const found = part.classList.contains(name) ? part : part.shadowRoot && find(part.shadowRoot, name)
      if (found) return found
    }
  }
  const replace = () => {
    const picture = document.getElementById("first-picture")
    if (!picture) return
    const roots = Bokeh.index.roots.filter((view) => view.el)
    const page = roots.map((view) => find(view.el.shadowRoot ?? view.el, "main-content")).find(Boolean)
    if (page && picture.scrollTop) page.scrollTop = picture.scrollTop
    picture.remove()
    // Previews of links read it; on the live page the words change, and a class may guess before it sees them.
    for (const about of document.querySelectorAll("meta[name=description], meta[property='og:description']")) about.remove()
  }
  const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then))
  // At once, since the page is drawn behind the picture: what the server sends next would hold it up.
  const wait = (asked = false) => {
    const live = globalThis.Bokeh?.documents?.[0]
    if (live?.is_idle || globalThis.Bokeh?.index?.roots?.[0]?.is_idle) return replace()
    if (live && !asked) live.idle.connect(replace)
    setTimeout(wait, 20, Boolean(live))
  }

  // A page in the background paints nothing: it does not wait.
  let begun = false
  const begin = () => {
    if (begun) return
    begun = true
    build().then(wait)
  }
  painted(() => setTimeout(begin))
  setTimeout(begin, 500)
}
