"""The table of findings: one row each; the chosen row opens in place."""

from __future__ import annotations

import param
from panel.custom import Child, JSComponent

# A sign and a word state the kind of a finding, so that colour is not the only difference.
MARKS = {"overstated": "▲", "understated": "▼", "accuracy": "◆", "notation": "●"}

_ESM = """
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
    for (const [i, part] of text.split(/_([\\p{L}\\p{Nd}]+)/u).entries()) made.append(i % 2 ? make("sub", "", part) : part)
    return made
  }
  const detail = make("div", "inside")
  detail.id = "finding"
  detail.setAttribute("role", "region")
  let moved = ""  // The row that was clicked, to be kept in view.

  // The content of the open row is never moved, because removed widgets lose their style. Rows move around it.
  const draw = () => {
    for (const old of [...table.children]) if (old !== detail) old.remove()
    const rows = model.rows.map((row) => {
      const open = row.key === model.chosen
      const box = make("div", open ? "row open" : "row")
      const button = make("button", "head")
      button.type = "button"
      button.dataset.key = row.key
      button.setAttribute("aria-expanded", open)
      if (open) button.setAttribute("aria-controls", "finding")
      const words = make("span", "words")
      words.append(rich("title", row.title), rich("place", row.place))
      const kind = make("span", "kind " + row.kind)
      kind.append(make("span", "mark", row.mark), make("span", "", row.about))
      button.append(words, kind, make("span", "sign", open ? "−" : "+"))
      button.addEventListener("click", () => {
        moved = row.key
        model.chosen = open ? "" : row.key
      })
      box.append(button)
      return box
    })
    const place = model.rows.findIndex((row) => row.key === model.chosen)
    detail.hidden = place < 0
    detail.setAttribute("aria-label", place < 0 ? "" : model.rows[place].title)
    detail.before(...rows.slice(0, place + 1))
    detail.after(...rows.slice(place + 1))
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
"""
_SHEET = """
:host { color: var(--mui-palette-text-primary); font: 15px/1.45 var(--bokeh-base-font) }
.table { border-top: 1px solid var(--mui-palette-divider) }
.row { border-bottom: 1px solid var(--mui-palette-divider); scroll-margin-top: 72px }
.row.open { border-bottom: 0 }
.row.open, .inside { box-shadow: inset 3px 0 var(--mui-palette-primary-main) }
sub { line-height: 0; font-size: 75% }
.head { display: grid; grid-template-columns: minmax(0, 1fr) 176px 20px; gap: 16px; align-items: center; width: 100%;
        padding: 11px 12px; margin: 0; border: 0; background: none; color: inherit; font: inherit; text-align: left;
        cursor: pointer }
.head:hover { background: color-mix(in srgb, var(--mui-palette-primary-main) 7%, transparent) }
.head:focus-visible { outline: 2px solid var(--mui-palette-primary-main); outline-offset: -2px }
.title { display: block; font-size: 16px; font-weight: 500 }
.open .title { font-weight: 600 }
.place { display: block; font-size: 13.5px; color: var(--mui-palette-text-secondary); margin-top: 1px }
.kind { font-size: 13.5px; white-space: nowrap; color: var(--mui-palette-text-secondary) }
.mark { display: inline-block; width: 1.4em; color: var(--tone) }
.overstated { --tone: #d1495b } .understated { --tone: #2a9d8f } .accuracy { --tone: #c98a00 }
.notation { --tone: #8a8f98 }
.sign { font-size: 20px; line-height: 1; color: var(--mui-palette-text-secondary); text-align: right }
.inside { padding: 0 12px 18px; border-bottom: 1px solid var(--mui-palette-divider) }
.inside[hidden] { display: none }
.none { color: var(--mui-palette-text-secondary); padding: 8px 12px }
@media (max-width: 899px) {
  .head { grid-template-columns: minmax(0, 1fr) 20px; gap: 2px 12px; padding: 10px 4px }
  .kind { grid-row: 2; grid-column: 1 } .sign { grid-row: 1; grid-column: 2 }
  .inside { padding: 0 4px 16px } .row.open .head, .inside { padding-left: 12px }
}
"""


class FindingsTable(JSComponent):
    """Rows that open in place; all text in them is set as text, never as HTML."""

    from_browser = ("chosen",)  # A click in the browser sets these.

    rows = param.List([], item_type=dict, doc="Key, title, place, kind, about and mark of each row.")
    chosen = param.String("", doc="Key of the open row; empty if none is.")
    detail = Child(doc="Content of the open row.")

    _esm = _ESM
    _stylesheets = [_SHEET]  # noqa: RUF012
