export function render({ model, el }) {
  const table = document.createElement("div")
  table.className = "table"
  const make = (tag, name, text) => {
    const made = document.createElement(tag)
    made.className = name
    if (text !== undefined) made.textContent = text
    return made
  }
  // σ_k with its index, built of text nodes.
  const rich = (name, text) => {
    const made = make("span", name)
    for (const [i, part] of text.split(/_([\p{L}\p{Nd}]+)/u).entries()) made.append(i % 2 ? make("sub", "", part) : part)
    return made
  }
  // What the paper says and what is true, on one scale from zero.
  const bars = (row) => {
    const box = make("span", "bars")
    for (const bar of row.bars) {
      const line = make("span", "bar")
      const length = make("i", `${bar.value === "0" ? "zero" : ""} ${bar.claim ? "claim" : ""}`)
      length.style.setProperty("--share", bar.share)
      line.append(rich("", bar.name), length, make("span", "value", bar.value))
      box.append(line)
    }
    box.append(rich("unit", row.unit))
    return box
  }
  const detail = make("div", "inside")
  detail.id = "finding"
  detail.setAttribute("role", "region")
  // Rows of one kind are folded away below a line that says how many they are; an open row is in sight.
  const unfolded = new Set()
  const fold = (rows) => {
    for (const line of new Set(model.rows.map((row) => row.fold))) {
      if (!line) continue
      const mine = rows.filter((row, i) => model.rows[i].fold === line)
      const open = unfolded.has(line) || model.rows.some((row) => row.fold === line && row.key === model.chosen)
      const button = make("button", "fold", line)
      button.type = "button"
      button.append(make("span", "sign", open ? "−" : "+"))
      button.setAttribute("aria-expanded", open)
      button.addEventListener("click", () => {
        if (!unfolded.delete(line)) unfolded.add(line)
        draw()
        for (const again of table.querySelectorAll(".fold")) if (again.firstChild.data === line) again.focus({ preventScroll: true })
      })
      for (const row of mine) row.hidden = !open
      mine[0].before(button)
    }
  }
  let moved = ""  // The row that was clicked, to be kept in view.

  // The content of the open row is never moved, because removed widgets lose their style. Rows move around it.
  const draw = () => {
    for (const old of [...table.children]) if (old !== detail) old.remove()
    const rows = model.rows.map((row) => {
      const open = row.key === model.chosen
      const box = make("div", `row${open ? " open" : ""}${row.first ? " first" : ""}`)
      const button = make("button", "head")
      button.type = "button"
      button.dataset.key = row.key
      button.setAttribute("aria-expanded", open)
      if (open) button.setAttribute("aria-controls", "finding")
      const words = make("span", "words")
      words.append(rich("place", row.first && !open ? row.papers : row.place), rich("title", row.title))
      if (row.harm) words.append(make("span", "harm", row.harm))
      const kind = make("span", "kind " + row.kind)
      kind.append(make("span", "mark", row.mark), make("span", "", row.about))
      if (row.bars) words.firstChild.prepend(kind)
      const side = row.bars ? bars(row) : kind
      button.append(words, side, make("span", "sign", open ? "−" : "+"))
      button.setAttribute("aria-label", `${row.title}. ${row.place}. ${row.about}`)
      button.addEventListener("click", () => {
        moved = row.key
        model.chosen = open ? "" : row.key
      })
      box.append(button)
      if (row.live) {
        const live = make("button", "live", `See it live: ${row.live} →`)
        live.type = "button"
        live.addEventListener("click", () => { model.visited = row.key })
        box.append(live)
      }
      return box
    })
    const place = model.rows.findIndex((row) => row.key === model.chosen)
    detail.hidden = place < 0
    detail.setAttribute("aria-label", place < 0 ? "" : model.rows[place].title)
    detail.before(...rows.slice(0, place + 1))
    detail.after(...rows.slice(place + 1))
    fold(rows)
    if (!rows.length) detail.before(make("p", "none", "No finding of this kind in this paper."))
  }
  const show = () => {
    const open = table.querySelector(".row.open")
    const row = open ?? table.querySelector(`[data-key="${moved}"]`)
    if (row) row.scrollIntoView({ block: open ? "start" : "nearest" })
  }
  detail.append(model.get_child("detail"))
  table.append(detail)
  draw()
  model.on("rows", draw)
  model.on("chosen", () => {
    const focused = table.getRootNode().activeElement?.dataset?.key
    draw()
    if (focused) table.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true })
    requestAnimationFrame(show)
  })
  if (model.chosen) setTimeout(show, 400)
  return table
}
