// Makes the children of one element those of another, and keeps every element that can stay.
function follow(old, now) {
  const next = [...now.childNodes]
  next.forEach((node, i) => {
    const there = old.childNodes[i]
    if (!there) old.append(node)
    else if (there.nodeName !== node.nodeName || there.dataset?.key !== node.dataset?.key) there.replaceWith(node)
    else if (node.nodeType === Node.TEXT_NODE) { if (there.data !== node.data) there.data = node.data }
    else if (node.nodeType === Node.ELEMENT_NODE) become(there, node)
  })
  while (old.childNodes.length > next.length) old.lastChild.remove()
}

function become(old, now) {
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  // What a finger drags is where the finger is.
  if (old.tagName === "INPUT" && !old.matches(":active")) old.value = now.getAttribute("value")
  follow(old, now)
}

const PACE = 80 // Milliseconds between two messages while something is dragged.

export function render({ model }) {
  const root = document.createElement("div"), sheet = document.createElement("template")
  const draw = () => {
    sheet.innerHTML = model.picture
    follow(root, sheet.content)
  }
  let waiting = null, last = 0
  const send = (name, number) => {
    clearTimeout(waiting)
    const tell = () => { last = performance.now(); model.send_msg({ name, number }) }
    waiting = setTimeout(tell, Math.max(0, last + PACE - performance.now()))
  }
  root.addEventListener("input", ({ target }) => {
    if (target.dataset.name) send(target.dataset.name, Number(target.value))
  })
  const press = (event) => {
    const part = event.target.closest("[data-press]")
    if (!part) return
    event.preventDefault()
    send(part.dataset.press, Number(part.dataset.number))
  }
  root.addEventListener("click", press)
  root.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") press(event) })
  model.on("picture", draw)
  model.on("remove", () => clearTimeout(waiting))
  draw()
  return root
}
