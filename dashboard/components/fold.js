// A text, and below it a title that unfolds a further text; a change of either leaves it open or closed as it is.
export function render({ model }) {
  const root = document.createElement("div"),
    lead = document.createElement("div");
  const heading = document.createElement("h3"),
    button = document.createElement("button");
  const inside = document.createElement("div");
  inside.className = "inside";
  inside.hidden = true;
  inside.setAttribute("role", "region");
  inside.setAttribute("aria-label", model.title);
  button.type = "button";
  button.textContent = model.title;
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    inside.hidden = !inside.hidden;
    button.setAttribute("aria-expanded", String(!inside.hidden));
    root.classList.toggle("open", !inside.hidden);
  });
  heading.append(button);
  root.append(lead, heading, inside);
  const follow = () => {
    lead.innerHTML = model.lead;
    inside.innerHTML = model.text;
    root.hidden = !model.lead && !model.text;
    heading.hidden = !model.text;
  };
  follow();
  model.on("lead", follow);
  model.on("text", follow);
  return root;
}
