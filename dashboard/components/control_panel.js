// Controls of a page: sliders, switches, choices and menus, each with its help. `spec` says what they are, `state`
// what they show. A value carries a stamp: only if the server changed the value itself does the stamp change, so that
// the server's answers never move a slider back that its user has moved on. What the user chose has a number, too: a
// value that the server set before it `heard` of the last choice is not shown, since the choice comes after it.
// Milliseconds that a playing slider stays at a stop, at one of few, and at the last.
const STEP = 330,
  FEW = 900,
  LAST = 1500;
const TICK =
  "M19 3H5c-1.1 0-2 .9-2 2v14c0 1.1.9 2 2 2h14c1.1 0 2-.9 2-2V5c0-1.1-.9-2-2-2zm-9 14l-5-5 1.4-1.4 3.6 3.6 7.6-7.6L19 8l-9 9z";
const BOX = "M19 5v14H5V5h14m0-2H5c-1.1 0-2 .9-2 2v14c0 1.1.9 2 2 2h14c1.1 0 2-.9 2-2V5c0-1.1-.9-2-2-2z";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const picture = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
};

// What a control is called; where it has a help, its name is the button that shows it: on top of everything, so that
// nothing cuts it. Returns the part, the help that the control takes, and how the name is said.
function named(spec) {
  const note = spec.help && new DOMParser().parseFromString(spec.help, "text/html").body.firstElementChild;
  if (!note) {
    const part = make("span", { class: "name" });
    return { part, note: "", say: (text) => part.replaceChildren(text) };
  }
  const part = make("button", { type: "button", class: "name helps", "aria-expanded": "false" });
  note.setAttribute("popover", "auto");
  part.popoverTargetElement = note;
  note.addEventListener("toggle", ({ newState }) => {
    const opened = newState === "open";
    part.setAttribute("aria-expanded", String(opened));
    if (!opened) return;
    const at = part.getBoundingClientRect(),
      below = window.innerHeight - at.bottom - 8;
    note.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - note.offsetWidth - 8))}px`;
    note.style.top = `${below > note.offsetHeight ? at.bottom + 4 : Math.max(8, at.top - note.offsetHeight - 4)}px`;
  });
  const say = (text) => {
    part.replaceChildren(text);
    part.setAttribute("aria-label", `Help: ${text}`);
  };
  return { part, note, say };
}

// A label with a button that moves the slider from stop to stop up to its end, and back to where it was unless it `stays`. The slider
// moves to a stop only when the picture of that stop is there: whatever stands belongs to the value that it shows, and
// nothing pales. `tell(value, play)` asks the server for a value, with the number of the request and which stop of the
// play it is, from 0 on; −1 is where the slider was before.
function playing(label, input, texts, { tell, show }, model) {
  const line = make("div", { class: "line" }, label),
    button = make("button", { type: "button", class: "play" });
  // Its sign is seen; the word is heard, and read while there is nothing to play.
  const say = (sign, word) =>
    button.replaceChildren(...(sign ? [sign, make("span", { class: "aside" }, ` ${word}`)] : [word]));
  const pale = document.documentElement.style;
  let goes = false,
    timer = null,
    before = 0,
    turn = 0,
    stop = 0,
    coming = null,
    last = false;
  // Those of the values to stop at that the slider reaches; one that is not logarithmic stops at its end, too.
  const few = () => {
    const places = model.over.map((value) => (texts ? texts.indexOf(String(value)) : value));
    const found = places.filter((place) => place >= 0 && place <= Number(input.max));
    return texts || !found.length ? found : [...new Set([...found, Number(input.max)])];
  };
  const top = () => few().at(-1) ?? Number(input.max);
  const looks = () => {
    button.disabled = !goes && model.busy !== ""; // There is nothing to play yet.
    if (button.disabled) say("", model.busy);
    else if (goes && !last) say("❚❚", "Pause");
    else say("▶", "Play");
  };
  looks();
  const end = () => {
    clearTimeout(timer);
    if (goes) pale.removeProperty("--pale");
    goes = last = false;
    coming = null;
    looks();
  };
  const arrive = () => {
    if (!button.isConnected) return end();
    input.value = coming;
    coming = null;
    show();
    pale.setProperty("--pale", "1");
    if (last || (model.stays && Number(input.value) >= top())) return end();
    timer = setTimeout(next, Number(input.value) >= top() ? LAST : few().length ? FEW : STEP);
  };
  const ask = (value) => {
    coming = value;
    turn = Math.max(turn, model.answered) + 1;
    tell(value, { turn, stop: last ? -1 : stop++ });
  };
  const next = () => {
    if (!button.isConnected) return end();
    const value = Number(input.value);
    last = value >= top();
    ask(last ? before : (few().find((place) => place > value) ?? value + Number(input.step)));
  };
  button.addEventListener("click", () => {
    if (!goes) {
      goes = true;
      before = Number(input.value);
      stop = 0;
      if (!model.pale) pale.setProperty("--pale", "1");
      ask(few()[0] ?? Math.max(Number(input.min), Math.round(model.begins * input.max)));
    } else if (coming === null) {
      return end();
    } else {
      last = !last; // The stop that was asked for is the last one; or, after a second thought, it is not.
    }
    looks();
  });
  model.on("answered", () => {
    if (coming !== null && model.answered >= turn) arrive();
  });
  model.on("busy", looks);
  model.on("remove", end);
  line.append(button);
  // Ends the play where the slider is; whether the server was asked for another stop.
  const halt = () => {
    const asked = coming !== null;
    if (goes) end();
    return asked;
  };
  input.addEventListener("pointerdown", () => {
    if (halt()) tell(Number(input.value));
  });
  return { line, halt };
}

// What a value of ε means, in words, for what the observer sees against whom it holds: e^ε is rounded up.
const likelier = (epsilon, { protects, seen }) => {
  const most = Math.exp(epsilon),
    digits = most < 1.1 ? 3 : most < 10 ? 2 : most < 100 ? 1 : 0;
  const text = (Math.ceil(most * 10 ** digits) / 10 ** digits)
    .toFixed(digits)
    .replace(/\B(?=(\d{3})+$)/g, "\u2009");
  return `ε = ${epsilon}: changing ${protects} makes ${seen} at most ${text} times as likely as before, plus a probability δ`;
};

// Each kind makes its elements and returns how a state is shown; `send(value)` tells the server.
const KINDS = {
  slider(spec, send, model) {
    const { name: key, texts, step } = spec,
      { live, pause, play, ends } = model;
    const title = named(spec),
      number = make("strong");
    const label = make("div", { class: "label" }, title.part, make("span", { class: "aside" }, ": "), number),
      input = make("input", { type: "range" });
    steady(input);
    const said = (value) => (texts ? texts[value] : String(value));
    let name = "",
      meaning = null;
    const show = () => {
      const [min, max, value] = [input.min, input.max, input.value].map(Number),
        text = said(value);
      if (meaning) meaning.textContent = model.means && Number(text) > 0 ? likelier(Number(text), model) : "";
      title.say(name);
      number.textContent = text;
      input.style.setProperty("--part", max > min ? (value - min) / (max - min) : 0);
      const facts = {
        "aria-label": name,
        "aria-valuenow": value,
        "aria-valuetext": text,
        "aria-valuemin": min,
        "aria-valuemax": max,
      };
      for (const [attribute, fact] of Object.entries(facts)) input.setAttribute(attribute, fact);
    };
    let waiting = null,
      sent = 0,
      last = null;
    const tell = (value, play) => {
      clearTimeout(waiting);
      waiting = null;
      if (value === last && !play) return;
      sent = performance.now();
      last = value;
      send(value, { ...play, ...(texts && { text: texts[value] }) });
    };
    const chosen = () => tell(Number(input.value));
    const film = play ? playing(label, input, texts, { tell, show }, model) : null;
    input.addEventListener("input", () => {
      film?.halt();
      show();
      if (live) waiting ??= setTimeout(chosen, Math.max(0, pause - (performance.now() - sent)));
    });
    input.addEventListener("change", chosen);
    const under = film ? marked(input, texts, model) : null;
    const parts = [film?.line ?? label, input];
    const words = ends.get?.(key) ?? ends[key];
    if (words) {
      const [left, right] = words.map((word) => make("span", {}, word));
      if (key === "epsilon") {
        meaning = make("span", { class: "meaning" });
        model.on("means", () => show());
        model.on("seen", () => show());
      }
      parts.push(make("div", { class: "ends" }, left, ...(meaning ? [meaning] : []), right));
    }
    if (under) parts.push(under.row);
    parts.push(title.note);
    return [
      parts,
      (state) => {
        name = state.label;
        Object.assign(input, { min: state.start, max: state.end, step: state.step ?? step });
        if (state.fresh) {
          film?.halt();
          input.value = state.value;
          last = state.value;
        }
        show();
        under?.lay();
      },
    ];
  },
  switch(spec, send) {
    const input = make("input", { type: "checkbox", role: "switch" }),
      text = named(spec);
    const label = make("div", { class: "switch" }, input, text.part);
    input.addEventListener("change", () => send(input.checked));
    return [
      [label, text.note],
      (state) => {
        text.say(state.label);
        input.setAttribute("aria-label", state.label);
        if (state.fresh) input.checked = state.value;
      },
    ];
  },
  choice(spec, send) {
    const { options } = spec,
      title = named(spec),
      label = make("div", { class: "label" }, title.part);
    const buttons = options.map((option) => make("button", { type: "button" }, option));
    const group = make("div", { class: "choice", role: "group" }, ...buttons);
    const press = (value) => buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(i === value)));
    buttons.forEach((button, i) =>
      button.addEventListener("click", () => {
        press(i);
        send(i);
      }),
    );
    return [
      [label, group, title.note],
      (state) => {
        title.say(state.label);
        group.setAttribute("aria-label", state.label);
        if (state.fresh) press(state.value);
      },
    ];
  },
  choices(spec, send) {
    const { options } = spec,
      title = named(spec),
      label = make("div", { class: "label" }, title.part);
    const boxes = options.map((_option) => make("input", { type: "checkbox" }));
    const lines = boxes.map((box, i) =>
      make("label", { class: "box" }, box, picture(BOX), picture(TICK), options[i]),
    );
    const group = make("div", { role: "group" }, ...lines);
    group.addEventListener("change", () => send(options.filter((_, i) => boxes[i].checked)));
    return [
      [label, group, title.note],
      (state) => {
        title.say(state.label);
        group.setAttribute("aria-label", state.label);
        if (state.fresh)
          boxes.forEach((box, i) => {
            box.checked = state.value.includes(options[i]);
          });
      },
    ];
  },
  text(spec, send) {
    const { most, live } = spec,
      title = named(spec),
      legend = make("span", { class: "legend" }, title.part);
    const input = make("input", {
      type: "text",
      inputmode: live ? "search" : "numeric",
      autocomplete: "off",
      maxlength: most,
    });
    input.addEventListener(live ? "input" : "change", () => send(input.value.trim()));
    return [
      [make("div", { class: "field" }, legend, input), title.note],
      (state) => {
        title.say(state.label);
        input.setAttribute("aria-label", state.label);
        if (state.fresh) input.value = state.value;
      },
    ];
  },
  menu(spec, send) {
    const { options, name } = spec,
      title = named(spec),
      legend = make("span", { class: "legend" }, title.part);
    const field = make("button", {
      type: "button",
      role: "combobox",
      "aria-haspopup": "listbox",
      "aria-expanded": "false",
      "aria-controls": `list-${name}`,
    });
    const lines = options.map((option, i) =>
      make("li", { role: "option", id: `option-${name}-${i}` }, option),
    );
    const list = make(
      "ul",
      {
        role: "listbox",
        id: `list-${name}`,
        popover: "auto",
        tabindex: "-1",
      },
      ...lines,
    );
    let chosen = 0,
      marked = 0,
      typed = "",
      forget = null;
    const show = () => {
      field.textContent = options[chosen] ?? "";
      lines.forEach((line, i) => line.setAttribute("aria-selected", String(i === chosen)));
    };
    const mark = (i) => {
      marked = Math.min(Math.max(i, 0), lines.length - 1);
      lines.forEach((line, j) => line.classList.toggle("marked", j === marked));
      field.setAttribute("aria-activedescendant", lines[marked].id);
      lines[marked].scrollIntoView({ block: "nearest" });
    };
    const opened = () => field.getAttribute("aria-expanded") === "true";
    const open = () => {
      const at = field.getBoundingClientRect();
      list.style.minWidth = `${at.width}px`;
      list.showPopover();
      const below = window.innerHeight - at.bottom;
      list.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - list.offsetWidth - 8))}px`;
      list.style.top = `${below > list.offsetHeight ? at.bottom : Math.max(8, at.top - list.offsetHeight)}px`;
      mark(chosen);
    };
    const take = (i) => {
      list.hidePopover();
      if (i === chosen) return;
      chosen = i;
      show();
      send(i);
    };
    list.addEventListener("toggle", (event) => {
      field.setAttribute("aria-expanded", String(event.newState === "open"));
      if (event.newState !== "open") field.removeAttribute("aria-activedescendant");
    });
    let was = false;
    field.addEventListener("pointerdown", () => {
      was = opened();
    }); // The press itself closes an open list.
    field.addEventListener("click", (event) => {
      if (event.detail === 0 ? !opened() : !was) open();
    });
    field.addEventListener("blur", () => {
      if (opened()) list.hidePopover();
    });
    list.addEventListener("pointerdown", (event) => event.preventDefault()); // The field keeps the focus.
    lines.forEach((line, i) => line.addEventListener("click", () => take(i)));
    const keys = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    field.addEventListener("keydown", (event) => {
      if (event.key in keys) {
        event.preventDefault();
        if (opened()) mark(marked + keys[event.key]);
        else open();
      } else if (opened() && ["Enter", " ", "Tab"].includes(event.key)) {
        if (event.key !== "Tab") event.preventDefault();
        take(marked);
      } else if (opened() && event.key === "Escape") {
        event.stopPropagation();
        list.hidePopover();
      } else if (
        event.key.length === 1 &&
        event.key !== " " &&
        !event.ctrlKey &&
        !event.metaKey &&
        !event.altKey
      ) {
        clearTimeout(forget);
        forget = setTimeout(() => {
          typed = "";
        }, 700);
        typed += event.key.toLowerCase();
        const found = options.findIndex((option) => option.toLowerCase().startsWith(typed));
        if (found >= 0 && !opened()) open();
        if (found >= 0) mark(found);
      }
    });
    return [
      [make("div", { class: "field" }, legend, field), list, title.note],
      (state) => {
        title.say(state.label);
        for (const part of [field, list]) part.setAttribute("aria-label", state.label);
        if (state.fresh) {
          chosen = state.value;
          show();
        }
      },
    ];
  },
};

// What stands in the place of a control that is left out: its name, why, and a button that brings it back.
function inPlace({ label, instead: [words, brings] }, press) {
  const button = make("button", { type: "button" }, brings);
  button.addEventListener("click", press);
  return make("p", { class: "instead" }, make("span", {}, label), ` ${words} `, button);
}

export function render({ model }) {
  const root = make("div", { class: "controls" });
  const fold = make("details", { class: "more" }, make("summary", {}, "More settings"));
  const made = (spec) => {
    const one = { stamp: null, sent: 0, spec: JSON.stringify(spec) };
    const send = (value, more) => {
      one.sent = Math.max(one.sent, model.state.find(({ name }) => name === spec.name)?.heard ?? 0) + 1;
      model.send_msg({ name: spec.name, value, number: one.sent, ...more });
    };
    const [parts, show] = KINDS[spec.kind](spec, send, model);
    const body = make("div", { class: `body ${spec.kind}` }, ...parts);
    const item = make("div", { class: "item" }, body);
    const ask = () => model.send_msg({ name: spec.name, instead: true });
    const replace = (state) => {
      const told = state.instead ? JSON.stringify(state.instead) : "";
      item.hidden = !state.visible && !told;
      if (told === one.told) return;
      const held = item.contains(root.getRootNode().activeElement);
      body.hidden = Boolean(told);
      item.replaceChildren(...(told ? [inPlace(state, ask)] : []), body);
      if (held && !item.hidden) item.querySelector("input, button")?.focus();
      one.told = told;
    };
    return Object.assign(one, { item, show, replace, told: "" });
  };
  const shown = model.spec.map(made);
  const order = () => {
    const first = model.first < 0 ? shown.length : model.first;
    root.append(...shown.slice(0, first).map(({ item }) => item), fold);
    fold.append(...shown.slice(first).map(({ item }) => item));
  };
  order();
  // Only what has changed is made anew, and it keeps the focus: a key may be held, or the next one on its way.
  const rebuild = () => {
    model.spec.forEach((spec, place) => {
      const before = shown[place];
      if (before.spec === JSON.stringify(spec)) return;
      const now = (shown[place] = Object.assign(made(spec), { sent: before.sent })),
        held = before.item.contains(root.getRootNode().activeElement);
      before.item.replaceWith(now.item);
      if (held) now.item.querySelector("input, button")?.focus();
    });
    follow();
  };
  const follow = () => {
    shown.forEach((one, place) => {
      const state = model.state[place];
      if (!state) return;
      one.replace(state);
      one.show({
        ...state,
        fresh: one.stamp === null || (state.stamp !== one.stamp && state.heard >= one.sent),
      });
      one.stamp = state.stamp;
    });
    fold.hidden = shown.every(({ item }) => item.hidden || item.parentNode !== fold);
  };
  follow();
  model.on("first", () => {
    order();
    follow();
  });
  model.on("spec", rebuild);
  model.on("state", follow);
  return root;
}
