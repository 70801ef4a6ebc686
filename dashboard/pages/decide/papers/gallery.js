export function render({ model }) {
  const make = (tag, name, text) => {
    const made = document.createElement(tag)
    made.className = name
    if (text !== undefined) made.textContent = text
    return made
  }
  const root = make("div", "gallery")
  const tabs = make("div", "papers")
  tabs.setAttribute("role", "group")
  tabs.setAttribute("aria-label", "Paper")
  const cards = make("div", "cards")
  const strip = make("div", "strip")
  // A row holds whole cards, as wide as they must be for that.
  const least = 84, gap = 5
  const fit = () => {
    if (!cards.clientWidth) return
    const held = Math.max(1, Math.floor((cards.clientWidth + gap) / (least + gap)))
    cards.style.setProperty("--card", `${(cards.clientWidth - gap * (held - 1)) / held}px`)
    ends()
  }
  const turns = [["‹", "Figures before", -1], ["›", "More figures", 1]].map(([sign, name, way]) => {
    const button = make("button", "turn", sign)
    button.type = "button"
    button.title = name
    button.setAttribute("aria-label", name)
    button.addEventListener("click", () => cards.scrollBy({ left: way * (cards.clientWidth + gap), behavior: "smooth" }))
    return button
  })
  const ends = () => {
    const most = cards.scrollWidth - cards.clientWidth
    turns[0].disabled = cards.scrollLeft < 2
    turns[1].disabled = cards.scrollLeft > most - 2
    for (const button of turns) button.hidden = most < 2
  }
  cards.addEventListener("scroll", ends, { passive: true })
  strip.append(turns[0], cards, turns[1])
  // On a phone the figure stands on the first screen; the cards unfold above it.
  const unfold = make("button", "unfold", "Choose a figure")
  unfold.type = "button"
  const fold = (open) => {
    root.classList.toggle("folded", !open)
    unfold.setAttribute("aria-expanded", open)
  }
  fold(false)
  unfold.addEventListener("click", () => {
    fold(root.classList.contains("folded"))
    fit()
    centre()
    root.scrollIntoView({ block: "nearest" })  // The cards unfold below the edge of the screen.
  })
  root.append(unfold, tabs, strip)
  const of = (name) => model.cards.find((card) => card.name === name)
  let paper = of(model.chosen)?.paper ?? model.papers[0]?.key

  const draw = () => {
    tabs.replaceChildren(...model.papers.map((entry) => {
      const count = model.cards.filter((card) => card.paper === entry.key).length
      const button = make("button", "paper", `${entry.authors} `)
      button.append(make("span", "about", `${entry.title}, ${count} figures`))
      button.type = "button"
      button.title = `[${entry.key}] ${entry.citation}`
      button.setAttribute("aria-pressed", entry.key === paper)
      // The figure below is one of this paper, too: the first with the authors' numbers.
      button.addEventListener("click", () => {
        const cards = model.cards.filter((card) => card.paper === entry.key)
        model.chosen = (cards.find((card) => card.mark) ?? cards[0]).name
      })
      return button
    }))
    cards.replaceChildren(...model.cards.filter((card) => card.paper === paper).map((card) => {
      const button = make("button", "card")
      button.type = "button"
      button.dataset.name = card.name
      button.title = card.caption
      button.setAttribute("aria-label", `Figure ${card.label}: ${card.caption}`)
      button.setAttribute("aria-pressed", card.name === model.chosen)
      const sketch = make("span", "sketch")
      // Drawn by the server from numbers alone.
      sketch.innerHTML = model.sketches[card.name] ?? ""
      const label = make("span", "label", card.label)
      if (card.mark) label.append(make("span", "mark", card.mark))
      button.append(sketch, label, make("span", "data", card.data))
      button.addEventListener("click", () => {
        model.chosen = card.name
        cards.scrollIntoView({ block: "nearest", behavior: "smooth" })  // What was chosen stands below.
      })
      return button
    }))
  }
  // In a strip that scrolls sideways the chosen card is brought to the middle.
  const centre = () => {
    const card = cards.querySelector("[aria-pressed=true]")
    if (card) cards.scrollLeft = card.offsetLeft - cards.offsetLeft - (cards.clientWidth - card.clientWidth) / 2
  }
  draw()
  new ResizeObserver(fit).observe(cards)
  setTimeout(centre, 400)
  model.on("chosen", () => {
    const focused = root.getRootNode().activeElement?.dataset?.name
    paper = of(model.chosen)?.paper ?? paper
    draw()
    fit()
    centre()
    if (focused) cards.querySelector(`[data-name="${focused}"]`)?.focus({ preventScroll: true })
    // What was chosen far below, by a preset, is drawn above the cards.
    if (root.getBoundingClientRect().top < 420) root.scrollIntoView({ block: "end" })
  })
  return root
}
