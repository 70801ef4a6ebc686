// Marks a page as stale from a choice of its user, or from the server's word, until what stands is of the settings that
// are set: `stale` lists "asked" (the server has not heard of the choice) and what it says is earlier.
const PATIENCE = 300; // Milliseconds: an answer that comes sooner replaces the old picture without a blink.
const PACE = 100; // Milliseconds between two numbers that a moving slider sends.
const HELD = ["value", "chosen"]; // Properties of widgets that hold a choice.

// Whether a change of the document is a choice of the user. A playing slider, whose messages have a name and a turn,
// moves to a value only when its picture is there.
function chosen({ sync, attr, msg_data }) {
  if (msg_data === undefined) return sync && HELD.includes(attr);
  const { event_name: kind, data } = msg_data;
  return (
    kind === "dom_event" ||
    kind === "table-edit" ||
    (kind === "data_event" && !data.choice && !(data.turn && data.name))
  );
}

export function render({ model, view }) {
  const doc = view.model.document,
    page = view.parent.el;
  let choice = model.heard,
    timer = null,
    pause = null,
    sent = -Infinity;
  const stale = () => [choice > model.heard ? "asked" : "", model.earlier].join(" ").trim();
  const mark = () => {
    page.setAttribute("stale", stale());
  };
  const marked = () => page.hasAttribute("stale");
  const forget = () => {
    clearTimeout(timer);
    timer = null;
  };
  const look = () => {
    if (!stale()) {
      forget();
      page.removeAttribute("stale");
    } else if (marked()) mark();
    else
      timer ??= setTimeout(() => {
        timer = null;
        if (stale()) mark();
      }, PATIENCE);
  };
  const ask = () => {
    pause = null;
    sent = performance.now();
    model.send_msg({ choice });
  };
  const note = (event) => {
    if (!chosen(event)) return;
    choice += 1;
    pause ??= setTimeout(ask, Math.max(0, sent + PACE - performance.now()));
    look();
  };
  doc.on_change(note);
  model.on("heard", () => {
    if (!marked() && !model.earlier) forget(); // The picture of a choice came in time; the next one has its own time.
    look();
  });
  model.on("earlier", look);
  model.on("remove", () => {
    forget();
    clearTimeout(pause);
    doc.remove_on_change(note);
    page.removeAttribute("stale");
  });
  look();
  return document.createElement("span");
}
