// The other end of a page in a notebook. It touches nothing outside of the cell's output: no address, title or cookie.
const DARK = { vscode: (kind) => kind === "vscode-dark" || kind === "vscode-high-contrast", lab: (light) => light === "false" }

function dark() {
  const { vscodeThemeKind, jpThemeLight } = document.body.dataset
  if (vscodeThemeKind !== undefined) return DARK.vscode(vscodeThemeKind)
  if (jpThemeLight !== undefined) return DARK.lab(jpThemeLight)
  return false
}

export function render({ model, view }) {
  const mark = document.createElement("span")
  // The arrow keys of sliders are not the notebook's.
  view.root.el.setAttribute("data-lm-suppress-shortcuts", "true")
  const tell = () => { if (model.dark !== dark()) model.dark = dark() }
  const theme = new MutationObserver(tell)
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] })
  tell()

  model.on("msg:custom", (message) => {
    const link = document.createElement("a")
    link.download = message.filename
    link.href = URL.createObjectURL(new Blob([message.text], { type: message.kind + ";charset=utf-8" }))
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })

  // Links to other pages open them here; one help note is open at a time, and a click outside or Escape closes it.
  const mine = (path) => path.includes(view.parent?.el ?? mark)
  let help = null
  const clicks = (event) => {
    const path = event.composedPath()
    const now = path.find((part) => part.matches?.("details.help")) ?? null
    if (help && help !== now) help.open = false
    help = now
    const href = path.find((part) => part.tagName === "A")?.getAttribute("href") ?? ""
    if (!mine(path) || !href.startsWith("?page=") || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    model.send_msg({ query: href })
  }
  const shut = (event) => {
    if (event.key !== "Escape" || !help?.open) return
    help.open = false
    help.querySelector("summary").focus()
    event.stopImmediatePropagation()
  }
  window.addEventListener("click", clicks, true)
  window.addEventListener("keydown", shut, true)
  model.on("remove", () => {
    theme.disconnect()
    window.removeEventListener("click", clicks, true)
    window.removeEventListener("keydown", shut, true)
  })
  return mark
}
