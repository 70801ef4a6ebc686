const NARROW = "(max-width: 899px)";
const PAPER = 680; // CSS pixels between narrow margins on A4 and Letter paper.
const COOKIE = "@cookie@";
const EVERY = 12000; // Milliseconds between two checks of the server, and the time limit of one check.
const PATIENCE = 10000;

export function render({ model, view }) {
  const here = document.createElement("span");
  // The frame is controlled here and not by the server, whose answer would arrive after the first painting.
  const frame = view.model.document.roots().find((root) => root.data?.sidebar_open !== undefined)?.data;
  const narrow = window.matchMedia(NARROW);
  // What slides do without: a high header, on a phone the whole of it, and what explains a setting beside it.
  const lower = () => {
    const looks = model.lecture
      ? { "--bar": "40px", "--head": "none", "--aside": "none" }
      : { "--bar": "52px", "--head": "flex", "--aside": "block" };
    for (const [name, value] of Object.entries(looks))
      document.documentElement.style.setProperty(name, value);
  };
  model.on("lecture", lower);
  lower();
  const tell = () => {
    model.narrow = narrow.matches;
    if (frame) frame.sidebar_open = !narrow.matches && !model.lecture;
  };
  narrow.addEventListener("change", tell);
  tell();

  // A cookie stores the theme, so that the next session is served in it from the start. On a first visit the
  // browser's preference applies once the page is complete: components that mount earlier would stay light.
  // Paper is light: what is dark on the screen is printed inverted, with its hues. Backgrounds are printed, for digits and
  // bars are made of them, and of light letters without a dark ground the inverse is black on black.
  const paper = document.createElement("style");
  paper.textContent = `@media print {
    html { print-color-adjust: exact; -webkit-print-color-adjust: exact }
    html[data-dark] { background: #fff }
    html[data-dark] body { background: #14181d; filter: invert(1) hue-rotate(180deg) brightness(1.1) contrast(1.1) }
  }`;
  document.head.append(paper);
  const shade = () => {
    document.documentElement.toggleAttribute("data-dark", Boolean(frame?.dark_theme));
  };
  shade();
  const keep = () => {
    shade();
    document.cookie = `${COOKIE}=${frame.dark_theme ? 1 : 0}; path=/; max-age=31536000; samesite=lax`;
  };
  if (frame) {
    frame.properties.dark_theme.change.connect(keep);
    const first = !document.cookie.includes(`${COOKIE}=`);
    const wish = () => {
      const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
      if (first && dark !== frame.dark_theme) frame.dark_theme = dark;
    };
    const doc = view.model.document;
    if (doc.is_idle) wish();
    else doc.idle.connect(wish);
  }

  // A request for a page is numbered. A bar shows at once that it is under way; keys that are pressed before its answer
  // are dropped: they were meant for what stood there before. Later ones count, however long the picture takes to paint.
  const bar = document.createElement("div");
  bar.className = "page-comes";
  bar.style.cssText = `position: fixed; inset: 0 0 auto 0; height: 4px; z-index: 10000; pointer-events: none; opacity: 0;
    background: linear-gradient(90deg, transparent, currentColor, transparent) 0 0 / 40% 100% no-repeat`;
  document.body.append(bar);
  const moving = bar.animate([{ backgroundPosition: "-60% 0" }, { backgroundPosition: "160% 0" }], {
    duration: 900,
    iterations: Infinity,
  });
  moving.pause(); // An unseen animation is painted, too.
  let turn = 0,
    ready = 0;
  const waits = () => model.answered < turn;
  const ask = (message) => {
    turn = Math.max(turn, model.answered) + 1;
    bar.style.opacity = 1;
    moving.play();
    model.send_msg({ ...message, turn });
  };

  // A new page adds an entry to the history; a new value replaces the current entry. While the user is on the way to
  // another entry, what the server says of the page before does not touch the address.
  // A bare address names no page: the server says which one it opened.
  const opened = model.query;
  const asked = () => window.location.search || opened;
  let page = new URLSearchParams(asked()).get("page"),
    left = 0;
  const address = () => {
    if (model.query === window.location.search || model.answered < left) return;
    const next = new URLSearchParams(model.query).get("page");
    const step = page !== null && next !== page ? "pushState" : "replaceState";
    page = next;
    window.history[step]({}, "", window.location.pathname + model.query);
  };
  const back = () => {
    page = new URLSearchParams(asked()).get("page");
    ask({ query: asked() });
    left = turn;
  };
  // The next slide begins at its top, wherever the one before was left, and so does a page that shows a chosen term.
  const rise = () => {
    for (let at = here; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host)
      at.scrollTop = 0;
  };
  let rises = false;
  const slide = () =>
    new URLSearchParams(model.query).get("page") + new URLSearchParams(model.query).get("lecture");
  // A slide that plays does so at the first press forward, or at a click; the next press goes on.
  let stood = slide(),
    played = false;
  const rewind = () => {
    if (slide() === stood) return;
    stood = slide();
    played = false;
    if (model.lecture) rise();
  };
  const [fitAnew, unfit] = fitSlides(() => model.lecture);
  model.on("lecture", fitAnew);
  fitAnew();
  model.on("query", address);
  model.on("query", rewind);
  model.on("answered", () => {
    address();
    if (waits()) return;
    if (rises) rise();
    rises = false;
    fitAnew();
    ready = performance.now();
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (waits()) return;
        bar.style.opacity = 0;
        moving.pause();
      }),
    );
  });
  window.addEventListener("popstate", back);
  // The user may have gone back before this page could listen.
  const begun = performance.getEntriesByType("navigation")[0]?.name;
  if (begun && new URL(begun).search !== window.location.search) back();
  model.on("title", () => {
    document.title = model.title;
  });

  // After a lost connection the server may no longer have the session. The address holds the settings, so the page
  // is reloaded once the server answers. Random delays spread the reloads of many browsers.
  const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const probe = `${window.location.pathname.replace(/[/]$/, "")}/static/favicon.svg`;
  const answers = () =>
    fetch(probe, { cache: "no-store", method: "HEAD", signal: AbortSignal.timeout(PATIENCE) }).then(
      (answer) => answer.ok,
      () => false,
    );
  const shown = (text, role) => {
    const sign = document.createElement("div");
    sign.className = "connection-lost";
    sign.setAttribute("role", role);
    sign.textContent = text;
    sign.style.cssText = `position: fixed; inset: 0 0 auto 0; z-index: 10000; padding: 10px 16px; color: #fff;
      background: #8a1c1c; font: 600 16px/1.4 system-ui, sans-serif; text-align: center`;
    document.body.append(sign);
    return sign;
  };
  let lost = false;
  view.model.document.on_event("connection_lost", async () => {
    if (lost) return;
    lost = true;
    silence?.remove();
    shown("Connection lost, reconnecting …", "alert");
    await wait(0.3 + Math.random());
    for (let pause = 1; !(await answers()); pause = Math.min(1.5 * pause, 10)) await wait(pause);
    window.location.reload();
  });

  // If the network fails or the server hangs, the connection is not closed: check whether the server answers. A page
  // without a server (a notebook, a page that runs Python itself) has nothing to ask.
  let silence = null,
    next = null;
  const listen = async () => {
    clearTimeout(next);
    const heard = document.hidden || (await answers());
    if (lost || next === undefined) return;
    if (!heard)
      silence ??= shown(
        "The server does not answer. Changes that you make now may be lost. Waiting …",
        "status",
      );
    else if (silence) silence = void silence.remove();
    clearTimeout(next);
    next = setTimeout(listen, silence ? EVERY / 4 : EVERY);
  };
  if (model.served) {
    next = setTimeout(listen, EVERY);
    window.addEventListener("offline", listen);
    window.addEventListener("online", listen);
  }
  model.on("msg:custom", save);

  // The keys of a presenter's remote control, and arrows where no control needs them; handled before any slider.
  const moves = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1 };
  const own = "input, textarea, select, [role=slider], [role=radio], [role=tab], [role=menuitem]";
  const keys = (event) => {
    if (!model.lecture || event.ctrlKey || event.altKey || event.metaKey) return;
    const within = (selector) => event.composedPath().some((part) => part.matches?.(selector));
    if (within("[role=dialog], [role=presentation], [role=listbox], [role=menu]")) return;
    const leaves = event.key === "Escape";
    if (leaves && within("[aria-expanded='true']")) return; // It closes what is open there.
    const move = moves[event.key];
    if (!leaves && (move === undefined || (event.key.startsWith("Arrow") && within(own)))) return;
    event.preventDefault();
    event.stopPropagation();
    if (waits() || event.timeStamp < ready) return;
    const play = move === 1 && !played ? playOf(document) : null;
    if (play) play.click();
    else ask(leaves ? { leave: true } : { move });
  };
  const plays = (part) =>
    part.matches?.("button:enabled") &&
    (part.matches(".go[data-sign=play]") || part.textContent.startsWith("▶ Play"));
  const playOf = (root) => {
    for (const part of root.querySelectorAll("*")) {
      const found = part.shadowRoot
        ? playOf(part.shadowRoot)
        : plays(part) && part.checkVisibility({ visibilityProperty: true }) && part;
      if (found) return found;
    }
    return null;
  };
  const clicked = (event) => {
    played ||= event.composedPath().some(plays);
  };
  window.addEventListener("click", clicked, true);

  // Links to pages stay in the session.
  const ended = followClicks((link, event) => {
    event.preventDefault();
    rises = new URLSearchParams(link.getAttribute("href")).has("term");
    ask(link.dataset.page ? { page: link.dataset.page } : { query: link.getAttribute("href") });
  });
  window.addEventListener("keydown", keys, true);

  // Figures keep their width on the screen: scale the printed page down to the paper.
  const fit = () => {
    const figures = [...view.model.document._all_models.values()].filter(
      (m) => m.type === "Figure" && m.visible,
    );
    const width = Math.max(...figures.map((figure) => figure.outer_width || 0), 1);
    document.documentElement.style.setProperty("--paper", String(Math.min(1, PAPER / width)));
  };
  // The server forgets a file with its session: the browser asks before the user leaves.
  const leaves = (event) => {
    if (model.holds && !lost) event.preventDefault();
  };
  window.addEventListener("beforeunload", leaves);
  window.addEventListener("beforeprint", fit);
  model.on("remove", () => {
    clearTimeout(next);
    next = undefined;
    unfit();
    moving.cancel();
    bar.remove();
    window.removeEventListener("offline", listen);
    window.removeEventListener("online", listen);
    window.removeEventListener("keydown", keys, true);
    window.removeEventListener("click", clicked, true);
    ended();
    window.removeEventListener("beforeunload", leaves);
    window.removeEventListener("beforeprint", fit);
    window.removeEventListener("popstate", back);
    narrow.removeEventListener("change", tell);
  });
  return here;
}
