const HOLD = 2200; // Milliseconds for which a finished sum of masks stands.

// A text whose parts between stars are bold.
const speak = (element, words) => {
  if (element.dataset.words === words) return;
  element.dataset.words = words;
  element.replaceChildren(...words.split("*").map((piece, i) => (i % 2 ? make("b", "", piece) : piece)));
};
const speakAll = (list, lines) => {
  while (list.children.length > lines.length) list.lastChild.remove();
  while (list.children.length < lines.length) list.append(make("li"));
  lines.forEach((words, i) => speak(list.children[i], words));
  list.hidden = !lines.length;
};

function buildScene(svg) {
  const ground = draw(svg, "g", { class: "walk" });
  const walk = {
    group: ground,
    lens: draw(ground, "path", { class: "lens" }),
    past: draw(ground, "path", { class: "past" }),
    line: draw(ground, "line", { class: "dashed" }),
    path: draw(ground, "path"),
    bracket: draw(ground, "path", { class: "bracket" }),
    house: draw(ground, "path", { class: "home", d: "M-9 0L0 -9L9 0M-6.5 -2V8H6.5V-2" }),
    walker: draw(ground, "circle", { class: "walker", r: 7 }),
    said: draw(ground, "text", { class: "said big" }),
    title: draw(ground, "text", { class: "quiet" }),
  };
  return {
    walk,
    averages: buildAverages(svg),
    layer: draw(svg, "g", { class: "phones" }),
    flying: draw(svg, "g", { class: "flying" }),
    phones: new Map(),
    byPlace: new Map(),
    key: "",
    act: "lobby",
    mixed: [],
    sent: [],
    settled: false,
    drop: 0,
    since: 0,
  };
}

export function render({ model }) {
  const root = make("div", "class"),
    calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const send = (message) => model.send_msg(message);
  const bar = make("header"),
    title = make("h1"),
    place = make("span", "place"),
    hide = make("button", "hide", "Back to the page");
  bar.append(title, place, hide);
  const alarm = set(make("p", "alarm"), { role: "alert" }),
    setup = setupForm(send);
  const side = make("aside"),
    stage = make("section"),
    body = make("div", "body");
  const card = make("div", "card"),
    code = document.createElementNS(SVG, "svg"),
    address = make("p", "address");
  const base = make("span"),
    key = make("b");
  const squares = draw(code, "path");
  set(code, { role: "img", "aria-label": "QR code with the address of the room" });
  address.append(base, document.createElement("wbr"), key);
  card.append(code, address);
  const notes = make("ul", "notes"),
    acts = make("div", "acts"),
    guess = make("div", "guess"),
    truth = make("p", "revealed");
  const shouts = make("ul", "shouts"),
    learnt = make("ul", "learnt"),
    standard = make("p", "standard");
  const learns = make("h2", "", "Who learns what"),
    collusion = make("h2", "", "Collusion");
  side.append(card, notes, acts, guess, truth, collusion, shouts, learns, learnt);
  const say = set(make("p", "say"), { role: "status", "aria-live": "polite" });
  const svg = set(document.createElementNS(SVG, "svg"), { class: "picture", role: "img" });
  stage.append(say, svg, standard);
  body.append(side, stage);
  root.append(bar, alarm, setup.form, body);
  hide.addEventListener("click", () => send({ act: "hide" }));

  const slider = set(make("input"), { type: "range", "aria-label": "The class guesses the true average" });
  const guessed = make("output");
  guess.append(make("h2", "", "Guess first: what is the true average?"), slider, guessed);
  slider.addEventListener("input", () => write(guessed, short(Number(slider.value))));
  slider.addEventListener("change", () => send({ act: "guess", value: Number(slider.value) }));

  let scene = buildScene(svg),
    shown = null,
    timer = 0,
    frame = 0;

  const buttons = (...list) => {
    const key = list.map(([label]) => label).join("|");
    if (acts.dataset.key === key) return;
    acts.dataset.key = key;
    acts.replaceChildren(
      ...list.map(([label, act, look = ""]) => {
        const button = make("button", look, label);
        button.addEventListener("click", () => send({ act }));
        return button;
      }),
    );
  };
  const offered = (state) => {
    const missing = state.phones - (state.phase === "noise" ? state.noise : state.messages).length;
    const words = `${missing} missing phone${missing === 1 ? "" : "s"}`;
    if (state.phase === "lobby")
      return [
        ...(state.ready > 1 ? [[`Start with ${state.ready} phones`, "start", "go"]] : []),
        ["Add ten simulated phones", "add"],
        ...(state.seats.some(([, , simulated]) => !simulated) ? [["Empty the seats", "empty"]] : []),
      ];
    if (state.phase === "noise") return missing ? [[`Go on without the ${words}: no cost`, "go on"]] : [];
    if (state.phase === "messages")
      return state.messages.length ? [[`Finish without the ${words}`, "finish"]] : [];
    const asked = (what) => state.asking.includes(what);
    return [
      ...(asked("reveal") ? [] : [["Ask phones to reveal their numbers", "reveal", "go"]]),
      ...(asked("shout") ? [] : [["Collusion: ask phones to disclose ê", "shout"]]),
      ["New room", "again"],
    ];
  };
  const tell = (state) => {
    const lobby = state.phase === "lobby",
      ended = state.phase === "result";
    write(title, state.question);
    const bare = state.address.replace(/^https?:\/\//, "");
    write(place, lobby ? "" : bare);
    card.hidden = !lobby;
    if (lobby) {
      set(code, { viewBox: `0 0 ${state.side} ${state.side}` });
      set(squares, { d: state.qr });
      write(base, bare.slice(0, bare.lastIndexOf("/") + 1));
      write(key, bare.slice(bare.lastIndexOf("/") + 1));
    }
    speakAll(notes, state.notes);
    // The sentence belongs to what the picture shows, which may be behind.
    const behind = scene.act === "noise" && state.phase !== "noise" && state.phase !== "closed";
    speak(say, behind ? state.agreed : scene.settled || !ended ? state.say : "The last message has come …");
    speak(truth, state.truth);
    truth.hidden = !state.truth;
    speakAll(learnt, state.learnt);
    speakAll(shouts, state.collusion);
    learns.hidden = !state.learnt.length;
    collusion.hidden = !state.collusion.length;
    write(standard, state.standard);
    guess.hidden = !ended || !scene.settled || state.asking.includes("reveal");
    set(slider, {
      min: String(state.low),
      max: String(state.high),
      step: String((state.high - state.low) / 120),
    });
    if (state.guess === null && slider.dataset.moved !== state.address) {
      slider.value = String((state.low + state.high) / 2);
      write(guessed, "?");
    }
    buttons(...(state.phase === "closed" ? [["New room", "again", "go"]] : offered(state)));
    set(svg, { "aria-label": state.say.replaceAll("*", "") });
  };
  const paint = () => {
    const state = model.state;
    if (!root.isConnected || state.phase === "setup" || state.phase === undefined) return;
    const width = stage.clientWidth - 8,
      top = svg.getBoundingClientRect().top;
    const height = Math.max(430, window.innerHeight - Math.max(0, top) - 52);
    if (width < 50) return;
    set(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    const lobby = scene.act === "lobby",
      pad = 26;
    const phones = lobby ? 0.56 * height : 0.27 * height;
    paintPhones(scene, state, { width, height: phones, most: lobby ? 64 : 44 });
    scene.at = paintWalk(scene, state, {
      left: pad,
      right: width - 60,
      top: phones + 34,
      bottom: 0.63 * height,
    });
    paintAverages(scene, state, {
      left: pad,
      right: width - pad,
      top: (lobby ? 0.6 : 0.63) * height + 34,
      bottom: height - 4,
    });
    tell(state);
  };
  // Arrivals are shown one after another, even if they came at once.
  const next = () => {
    timer = 0;
    const state = model.state;
    if (state.phase === "setup" || !state.seats) return;
    const quick = calm.matches || document.hidden,
      gap = quick ? 0 : clamp(2400 / Math.max(1, state.phones), 25, 200);
    let wait = -1;
    if (scene.act === "noise" && scene.mixed.length < state.noise.length) {
      scene.mixed = quick ? state.noise : state.noise.slice(0, scene.mixed.length + 1);
      fly(scene, scene.mixed.at(-1)[0], scene.at, scene.mixed.length, scene.mixed.at(-1)[1], "mixed", quick);
      scene.since = performance.now();
      wait = gap;
    } else if (scene.act === "noise" && state.phase !== "noise") {
      const rest = quick ? 0 : HOLD - (performance.now() - scene.since);
      if (rest > 0) wait = rest;
      else {
        scene.act = "messages";
        wait = gap;
      }
    } else if (scene.act === "messages" && scene.sent.length < state.messages.length) {
      scene.sent = quick ? state.messages : state.messages.slice(0, scene.sent.length + 1);
      fly(scene, scene.sent.at(-1)[0], scene.at, scene.sent.length, scene.sent.at(-1)[1] ?? 0, "", quick);
      wait = gap;
    } else if (state.phase === "result" && !scene.settled && scene.sent.length === state.messages.length) {
      scene.settled = true;
      drop(quick);
    }
    paint();
    if (wait >= 0) timer = setTimeout(next, wait);
  };
  const drop = (quick) => {
    const begun = performance.now();
    const fall = () => {
      scene.drop = quick ? 1 : ease(Math.min(1, (performance.now() - begun) / 1100));
      paint();
      if (scene.drop < 1) frame = requestAnimationFrame(fall);
    };
    fall();
  };
  const follow = () => {
    const state = model.state,
      none = state.phase === "setup" || state.phase === undefined;
    setup.form.hidden = !none;
    body.hidden = none;
    write(alarm, state.problem ?? "");
    alarm.hidden = !state.problem;
    if (none) {
      write(title, "Class: every phone is a site");
      write(place, "");
      if (typeof state.no_masks === "string") setup.offer(state.no_masks);
      if (shown !== "setup" && state.epsilon) setup.epsilon.value = state.epsilon;
      shown = "setup";
      return;
    }
    const round = `${state.address} ${state.round}`;
    if (shown !== round) {
      svg.replaceChildren();
      scene = buildScene(svg);
      shown = round;
    }
    if (state.phase !== "lobby" && scene.act === "lobby") scene.act = "noise";
    if (!timer) next();
    else paint();
  };
  slider.addEventListener("input", () => {
    slider.dataset.moved = model.state.address;
  });
  model.on("state", follow);
  const resize = new ResizeObserver(() => requestAnimationFrame(paint));
  resize.observe(root);
  model.on("remove", () => {
    resize.disconnect();
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  });
  follow();
  send({ act: "look", page: location.href });
  return root;
}
