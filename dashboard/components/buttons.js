// A row of buttons; the server sends the state of all of them, and a button that stays keeps its focus.
export function render({ model }) {
  const row = document.createElement("div");
  row.className = "row";
  row.style.gap = model.gap;
  if (model.label) {
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", model.label);
  }

  // Those of a menu stand in a list that another button shows.
  const buttons = [];
  let menu = null,
    head = null;
  const list = (name) => {
    if (menu) return menu;
    head = document.createElement("button");
    menu = document.createElement("div");
    Object.assign(head, { type: "button", className: "text head", textContent: `${name} ▾` });
    Object.assign(menu, { className: "menu", popover: "auto" });
    head.popoverTargetElement = menu;
    menu.addEventListener("toggle", ({ newState }) => {
      if (newState !== "open") return;
      const at = head.getBoundingClientRect();
      menu.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - menu.offsetWidth - 8))}px`;
      menu.style.top = `${Math.max(8, at.top - menu.offsetHeight)}px`;
    });
    row.append(head, menu);
    return menu;
  };

  const press = (place, button) => {
    const { copies, saves, opens } = model.items[place];
    menu?.hidePopover();
    if (opens) return unfold(root(row), opens);
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
      if (!buttons[place]) {
        buttons[place] = made(place);
        if (item.menu) list(item.menu).append(buttons[place]);
        else if (head && !item.after) head.before(buttons[place]);
        else row.append(buttons[place]);
      }
      const button = buttons[place],
        state = JSON.stringify(item);
      if (button.state !== state) paint(button, item);
      button.state = state;
    });
    while (buttons.length > model.items.length) buttons.pop().remove();
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

// The page around a row: what unfolds stands there, in roots of their own.
function root(row) {
  for (let at = row; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host)
    if (at.classList?.contains("board")) return at.shadowRoot ?? at;
  return document;
}

// Unfold what a selector names and bring it into sight; a second press folds it again.
function unfold(place, selector) {
  for (const part of place.querySelectorAll("*")) {
    if (part.matches(selector) && part.checkVisibility()) {
      part.click();
      requestAnimationFrame(() => part.parentElement?.scrollIntoView({ block: "nearest" }));
      return true;
    }
    if (part.shadowRoot && unfold(part.shadowRoot, selector)) return true;
  }
  return false;
}
