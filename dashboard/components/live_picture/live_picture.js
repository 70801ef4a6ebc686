// Makes the children of one element those of another, and keeps every element that can stay.
function follow(old, now) {
  const next = [...now.childNodes];
  next.forEach((node, i) => {
    const there = old.childNodes[i];
    if (!there) old.append(node);
    else if (there.nodeName !== node.nodeName || there.dataset?.key !== node.dataset?.key)
      there.replaceWith(node);
    else if (node.nodeType === Node.TEXT_NODE) {
      if (there.data !== node.data) there.data = node.data;
    } else if (node.nodeType === Node.ELEMENT_NODE) become(there, node);
  });
  while (old.childNodes.length > next.length) old.lastChild.remove();
}

function become(old, now) {
  // What its user unfolded stays open.
  const kept = old.tagName === "DETAILS" ? "open" : "";
  for (const { name } of [...old.attributes])
    if (name !== kept && !now.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of now.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.tagName === "INPUT") settle(old, now.getAttribute("value"));
  follow(old, now);
  // A menu without a value of the server is its user's alone.
  if (old.tagName === "SELECT" && "value" in now.dataset) settle(old, now.dataset.value);
}

// What a finger drags is where the finger is, and what was asked for stays until its answer comes: an answer to the key
// before would take it back, and the next key would count from there.
function settle(input, value) {
  if (input.matches(":active") || (input.asked ?? value) !== value) return;
  input.value = value;
  delete input.asked;
}

const PACE = 80; // Milliseconds between two messages while something is dragged.
const ANSWER = 3000; // Milliseconds after which a value that was not taken is given up.

export function render({ model }) {
  const root = document.createElement("div"),
    sheet = document.createElement("template");
  const draw = () => {
    sheet.innerHTML = model.picture;
    follow(root, sheet.content);
  };
  let timer = null,
    last = 0;
  const waiting = new Map(); // Of what is dragged the latest value counts; every press counts.
  const tell = () => {
    clearTimeout(timer);
    timer = null;
    last = performance.now();
    for (const [name, number] of waiting) model.send_msg({ name, number });
    waiting.clear();
  };
  root.addEventListener("input", ({ target }) => {
    if (!target.dataset.name) return;
    target.asked = target.value;
    clearTimeout(target.given);
    target.given = setTimeout(() => {
      delete target.asked;
      settle(target, target.getAttribute("value"));
    }, ANSWER);
    waiting.set(target.dataset.name, Number(target.value));
    timer ??= setTimeout(tell, Math.max(0, last + PACE - performance.now()));
  });
  const press = (event) => {
    const part = event.target.closest("[data-press]");
    if (!part) return;
    event.preventDefault();
    if (event.repeat) return; // A key that is held down.
    tell();
    model.send_msg({ name: part.dataset.press, number: Number(part.dataset.number) });
    if ("rise" in part.dataset)
      for (let at = root; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host)
        at.scrollTop = 0;
  };
  root.addEventListener("click", press);
  root.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") press(event);
  });
  model.on("picture", draw);
  model.on("remove", () => clearTimeout(timer));
  draw();
  return root;
}
