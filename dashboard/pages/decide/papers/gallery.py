"""The gallery of the papers' figures: a small card each, those of one paper at a time."""

from __future__ import annotations

import param
from panel.custom import JSComponent

_ESM = """
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
  const key = make("p", "key", "● the authors' numbers are at hand\u2003≈ runs on a stand-in")
  root.append(tabs, cards, key)
  const of = (name) => model.cards.find((card) => card.name === name)
  let paper = of(model.chosen)?.paper ?? model.papers[0]?.key

  const draw = () => {
    tabs.replaceChildren(...model.papers.map((entry) => {
      const count = model.cards.filter((card) => card.paper === entry.key).length
      const button = make("button", "paper", `[${entry.key}] `)
      button.append(make("span", "count", `${count} figures`))
      button.type = "button"
      button.title = entry.citation
      button.setAttribute("aria-pressed", entry.key === paper)
      button.addEventListener("click", () => { paper = entry.key; draw(); cards.scrollLeft = 0 })
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
      if (!sketch.innerHTML) sketch.append(make("span", "axis", card.axis))
      const label = make("span", "label", card.label)
      if (card.mark) label.append(make("span", "mark", card.mark))
      button.append(sketch, label, make("span", "data", card.data))
      button.addEventListener("click", () => {
        model.chosen = card.name
        key.scrollIntoView({ block: "start", behavior: "smooth" })  // What was chosen stands below.
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
  setTimeout(centre, 400)
  model.on("sketches", draw)
  model.on("chosen", () => {
    const focused = root.getRootNode().activeElement?.dataset?.name
    paper = of(model.chosen)?.paper ?? paper
    draw()
    centre()
    if (focused) cards.querySelector(`[data-name="${focused}"]`)?.focus({ preventScroll: true })
  })
  return root
}
"""
_SHEET = """
:host { color: var(--mui-palette-text-primary); font: 14px/1.35 var(--bokeh-base-font) }
button { font: inherit; color: inherit; cursor: pointer; background: none }
button:focus-visible { outline: 2px solid var(--mui-palette-primary-main); outline-offset: 1px }
.papers { display: flex; flex-wrap: wrap; gap: 4px 20px; border-bottom: 1px solid var(--mui-palette-divider);
          margin-bottom: 10px }
.paper { border: 0; padding: 6px 2px; border-bottom: 2px solid transparent; margin-bottom: -1px; font-weight: 600 }
.paper[aria-pressed=true] { border-color: var(--mui-palette-primary-main) }
.count { font-weight: 400; color: var(--mui-palette-text-secondary) }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(76px, 1fr)); gap: 5px }
.card { display: grid; gap: 0; padding: 4px 6px 3px; text-align: left; border-radius: 6px; min-width: 0;
        border: 1px solid var(--mui-palette-divider) }
.card:hover { border-color: var(--mui-palette-primary-main) }
.card[aria-pressed=true] { border-color: var(--mui-palette-primary-main);
  background: color-mix(in srgb, var(--mui-palette-primary-main) 12%, transparent) }
.sketch { height: 26px; display: grid; align-items: center }
.sketch svg { width: 100%; height: 26px }
.axis { color: var(--mui-palette-text-secondary); text-align: center; font-size: 15px }
.label { font-weight: 600; font-size: 13px }
.mark { float: right; font-weight: 400; color: var(--mui-palette-text-secondary) }
.data { font-size: 11px; color: var(--mui-palette-text-secondary); white-space: nowrap; overflow: hidden;
        text-overflow: ellipsis }
.key { margin: 6px 0 0; scroll-margin-top: 72px; font-size: 13px; color: var(--mui-palette-text-secondary) }
@media (max-width: 899px) {
  .cards { grid-template-columns: none; grid-auto-flow: column; grid-template-rows: auto auto;
           grid-auto-columns: 92px; overflow-x: auto; padding-bottom: 6px }
}
"""


class Gallery(JSComponent):
    """Cards of all figures; all text in them is set as text, never as HTML."""

    from_browser = ("chosen",)  # A click in the browser sets these.

    papers = param.List([], item_type=dict, doc="Key and citation of each paper.")
    cards = param.List(
        [], item_type=dict, doc="Name, paper, label, caption, data, axis and mark of each figure."
    )
    sketches = param.Dict({}, doc="SVG of each figure, by name, made by this program.")
    chosen = param.String("", doc="Name of the figure that is shown.")

    _esm = _ESM
    _stylesheets = [_SHEET]  # noqa: RUF012
