// The other end of a page in a notebook. It touches nothing outside of the cell's output: no address, title or cookie.
const DARK = {
  vscode: (kind) => kind === "vscode-dark" || kind === "vscode-high-contrast",
  lab: (light) => light === "false",
};

function dark() {
  const { vscodeThemeKind, jpThemeLight } = document.body.dataset;
  if (vscodeThemeKind !== undefined) return DARK.vscode(vscodeThemeKind);
  if (jpThemeLight !== undefined) return DARK.lab(jpThemeLight);
  return false;
}

export function render({ model, view }) {
  const mark = document.createElement("span");
  // The arrow keys of sliders are not the notebook's.
  view.root.el.setAttribute("data-lm-suppress-shortcuts", "true");
  const tell = () => {
    if (model.dark !== dark()) model.dark = dark();
  };
  const theme = new MutationObserver(tell);
  theme.observe(document.body, {
    attributes: true,
    attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"],
  });
  tell();

  // What the kernel sent before this output is drawn would be lost: it begins when it is told so. Jupyter may lose the
  // message, as below, and a busy kernel answers later: it is told again, ever less often, until it answers.
  const by = String(Math.random()),
    plot = view.root.model.id;
  let pause = 100;
  const drawn = () => {
    if (!window.Bokeh?.index || plot in Bokeh.index) {
      model.send_msg({ drawn: by });
      pause *= 2;
    }
    telling = pause < 100000 ? setTimeout(drawn, pause) : null;
  };
  let telling = setTimeout(drawn);
  model.on("msg:custom", (message) => {
    if (message.drawn === undefined) save(message);
    else if (message.drawn === by) clearTimeout(telling);
  });

  // Panel sends a change once the one before is confirmed. Jupyter may lose the first, which it hands to a thread that
  // has not begun: nothing would ever be confirmed, and what was chosen meanwhile would never leave.
  const unconfirmed = setInterval(() => {
    for (const one of view.model.document?._all_models.values() ?? [])
      if (one._event_buffer?.length && Date.now() > one._timeout) one.process_events();
  }, 500);

  // Links to other pages open them here.
  const ended = followClicks((link, event) => {
    if (!event.composedPath().includes(view.parent?.el ?? mark)) return;
    event.preventDefault();
    event.stopPropagation();
    model.send_msg({ query: link.getAttribute("href") });
  });
  model.on("remove", () => {
    theme.disconnect();
    clearInterval(unconfirmed);
    clearTimeout(telling);
    ended();
  });
  return mark;
}
