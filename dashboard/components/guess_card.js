// A question and a scale with one marker; the server gets the place of the marker.
export function render({ model, view }) {
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.append(...children)
    return element
  }
  const question = make("h2", { id: "question" })
  const said = make("output", { for: "guess" })
  const input = make("input", { type: "range", id: "guess", min: 0, step: 1, "aria-labelledby": "question" })
  steady(input)
  const low = make("span"), high = make("span")
  const hint = make("p", { role: "status" })
  let touched = false
  const show = () => {
    const text = model.stops[Number(input.value)] ?? ""
    said.textContent = touched ? text : "?"
    hint.textContent = touched ? "Reveal shows the picture and the verdict." : "Move the marker to your guess, then press Reveal."
    input.setAttribute("aria-valuetext", touched ? text : "no guess yet")
    input.style.setProperty("--part", input.max > 0 ? input.value / input.max : 0)
    input.classList.toggle("waiting", !touched)
  }
  const ask = () => {
    question.textContent = model.question
    input.max = Math.max(model.stops.length - 1, 0)
    touched = model.marked >= 0
    input.value = touched ? model.marked : Math.round(input.max / 2)
    low.textContent = model.stops[0] ?? ""
    high.textContent = model.stops.at(-1) ?? ""
    show()
  }
  const choose = () => { touched = true; show() }
  const tell = () => { choose(); model.send_msg({ place: Number(input.value) }) }
  input.addEventListener("input", choose)
  input.addEventListener("change", tell)
  input.addEventListener("click", tell)
  for (const name of ["question", "stops", "marked"]) model.on(name, ask)
  ask()
  // Parts that left the page stay in the browser's list of models until it is made anew: the answer shall not.
  setTimeout(() => view.model.document?._recompute_all_models())
  return make("div", { class: "card", role: "group", "aria-labelledby": "question" },
    question, said, input, make("div", { class: "ends" }, low, high), hint)
}
