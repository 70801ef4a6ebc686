// A row of buttons; the server sends the state of all of them, and a button that stays keeps its focus.
export function render({ model }) {
  const row = document.createElement("div");
  row.className = "row";
  row.style.gap = model.gap;
  if (model.label) {
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", model.label);
  }

  const press = (place, button) => {
    const { copies, saves } = model.items[place];
    if (copies) copy(copies === "address" ? window.location.href : copies, button);
    else if (saves) save(saves);
    else model.send_msg({ pressed: place });
  };

  const made = (place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", () => press(place, button));
    return button;
  };

  const paint = (button, item) => {
    button.className = item.look;
    button.hidden = !item.visible;
    button.disabled = item.disabled;
    if (item.pressed !== undefined) button.setAttribute("aria-pressed", String(item.pressed));
    if (item.title) button.setAttribute("aria-label", item.title);
    const icon = item.icon ? document.createElement("span") : null;
    if (icon) {
      icon.className = "material-icons";
      icon.setAttribute("aria-hidden", "true");
      icon.textContent = item.icon;
    }
    const text = document.createElement("span");
    text.className = "label";
    text.textContent = item.label;
    button.replaceChildren(...(icon ? [icon] : []), text);
  };

  const follow = () => {
    model.items.forEach((item, place) => {
      if (!row.children[place]) row.append(made(place));
      const button = row.children[place],
        state = JSON.stringify(item);
      if (button.state !== state) paint(button, item);
      button.state = state;
    });
    while (row.children.length > model.items.length) row.lastChild.remove();
    row.hidden = model.items.every((item) => !item.visible);
  };
  follow();
  model.on("items", follow);
  return row;
}

function copy(text, button) {
  const label = button.querySelector(".label"),
    was = label.textContent;
  const done = () => {
    label.textContent = "Copied";
    setTimeout(() => {
      label.textContent = was;
    }, 1500);
  };
  const by_hand = () => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  };
  // The clipboard of the modern kind exists on https and localhost alone.
  if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, by_hand);
  else by_hand();
}
