const AGAIN = "× 20 runs",
  LUCK = "Was it luck? ";
const WORDS = ["values", "shared", "own", "messages", "average"],
  WITHOUT = "Without blue";
const BLUE = {
  all: "noise that cancels",
  before: "noise meant to cancel",
  after: "noise that the sum takes off",
};
// From which moment each sign is drawn, and until when.
const SIGNS = [
  [0, "dot", (run) => `a ${run.noun}'s average`],
  [0.65, "zero", ({ order }) => BLUE[order || "all"]],
  [3.55, "local", () => "noise that stays"],
  [4.32, "message", ({ order }) => (order === "after" ? "message, with masked noise" : "message"), READ],
  [6, "cape", ({ lane }) => (lane === "CAPE" ? "CAPE's average" : lane)],
  [RIVAL, "conventional", () => "conventional noise", OVER],
  [OVER, "conventional", () => "conventional average"],
];
// What is said at a moment: the caption of its step, and beside it those of the two moments within the last.
const told = (run, t) =>
  t >= END ? run.captions[LAST] : t > RIVAL ? run.rival : run.captions[stepAt(t) - 1];

// What was released, in as many decimals as tell the averages apart; to the last digit in a tooltip.
const decimals = (run) => clamp(1 - Math.floor(Math.log10(run.reach)), 4, 15);
const released = ({ lane, average, conventional, truth }, write) =>
  `Released by ${lane}: ${write(average)} · conventional: ${write(conventional)} · true average: ${write(truth)}`;

// A text whose parts between stars are bold.
const speak = (element, words) => {
  if (element.dataset.words === words) return;
  element.dataset.words = words;
  element.replaceChildren(...words.split("*").map((part, i) => (i % 2 ? make("b", "", part) : part)));
};

function parts(root) {
  const top = make("div", "top"),
    go = make("button", "go"),
    say = make("p", "say"),
    legend = make("ul", "legend");
  const picture = document.createElementNS(SVG, "svg"),
    bar = make("div", "bar"),
    range = make("input", "moment");
  const steps = make("div", "steps"),
    again = make("div", "again"),
    digits = make("p", "digits");
  go.type = "button";
  set(say, { role: "status", "aria-live": "polite" });
  set(picture, { role: "img" });
  set(range, {
    type: "range",
    min: "0",
    max: String(UNIT * LAST),
    step: "1",
    "aria-label": "Moment of the protocol",
  });
  const buttons = WORDS.map((word, i) => {
    const button = make("button", "step", `${i + 1} ${word}`);
    button.type = "button";
    steps.append(button);
    return button;
  });
  const more = make("button", "wish more"),
    luck = make("span", "luck", LUCK),
    noise = make("button", "wish", "New noise");
  more.append(luck, AGAIN);
  more.title = "Twenty further runs, each drawn anew";
  more.type = noise.type = "button";
  const away = make("button", "wish away", WITHOUT);
  away.type = "button";
  away.title = "The blue noise slides away and comes back";
  again.append(noise, away, more);
  top.append(go, say);
  bar.append(range, steps);
  const foot = make("div", "foot");
  foot.append(bar, again);
  root.append(top, foot, legend, picture, digits);
  return { go, say, legend, picture, range, buttons, away, more, luck, noise, digits };
}

const SLIDER = 96,
  NARROW = 900; // Pixels of the page's slider, which stands below the play on a page so narrow.
const HEADER = 76; // Pixels at the top of the window that the app's header covers.

// What scrolls a part of the page.
function scroller(part) {
  for (let at = part; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host)
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY))
      return at;
  return window;
}

export function render({ model, view }) {
  const root = make("div", "play"),
    calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  set(root, { role: "group", "aria-label": "The protocol, played" });
  const ui = parts(root);
  let scene = null,
    width = 0,
    t = 0,
    playing = false,
    slowly = false,
    before = 0,
    frame = 0,
    rain = null,
    wish = "",
    seen = false;
  let opened = -1; // How much of its first second has passed, as a share of it; negative: it is not drawn yet.
  let goal = END; // Where the play stops by itself: a slide tells no more than its own step.
  let tellsAll = false; // Whether the play began at Play: its end then shows what the slider does.
  let glide = null; // From one share of the zero-sum noise to another: the two runs, and how far it has come.
  const slide = sliding(
    (share, home) => model.send_msg({ wish: "share", share, home }),
    () => model.slider,
  );

  const legend = () => {
    const named = t >= END ? /cape|conventional/ : /^$/; // The lanes say whose averages stand there.
    const drawn = SIGNS.filter(
      ([from, sign, , until = Infinity]) =>
        from <= t && t < until && !named.test(sign) && (sign !== "zero" || scene.run.share > 0),
    );
    const signs = drawn.map(([, sign]) => sign);
    if (ui.legend.dataset.drawn !== signs.join()) {
      ui.legend.dataset.drawn = signs.join();
      ui.legend.replaceChildren(
        ...signs.map((sign) => {
          const item = make("li", "");
          item.append(make("span", `sign ${sign}`), make("span", ""));
          return item;
        }),
      );
    }
    drawn.forEach(([, , words], i) => write(ui.legend.children[i].lastChild, words(scene.run)));
  };
  const tell = () => {
    const step = stepAt(t),
      words = told(scene.run, t),
      ended = t >= END;
    speak(ui.say, words);
    legend();
    write(ui.buttons[1], `2 ${scene.run.order === "after" ? "blue" : WORDS[1]}`);
    ui.buttons.forEach((button, i) =>
      set(button, { "aria-pressed": String(i + 1 === step && !slide.goes()) }),
    );
    set(ui.away, { "aria-pressed": String(slide.goes()) });
    set(ui.say, { "aria-live": slide.goes() ? "off" : "polite" });
    ui.range.value = String(Math.round(placeOf(t)));
    set(ui.range, {
      "aria-valuetext": `Step ${step} of ${LAST}, ${WORDS[step - 1]}; ${t.toFixed(1)} of ${END} seconds`,
    });
    root.style.setProperty("--place", `${(100 * placeOf(t)) / (UNIT * LAST)}%`);
    const label = slide.goes()
      ? "Stop"
      : calm.matches
        ? ended
          ? "From the start"
          : "Next step"
        : playing
          ? "Pause"
          : ended || t === ENDS[model.ends]
            ? "Play again"
            : "Play";
    write(ui.go, label);
    set(ui.go, { "data-sign": slide.goes() ? "stop" : calm.matches ? "next" : playing ? "pause" : "play" });
    root.classList.toggle("fresh", t === 0 && !playing);
    root.classList.toggle("none", scene.run.share === 0);
    root.classList.toggle("one-lost", Boolean(scene.run.order)); // Of a dropout there is the first run alone.
    seen ||= ended;
    root.classList.toggle("seen", seen);
    // One thing is next: to play, and at the end further runs, or the slider below.
    root.classList.toggle("ended", ended && !rain && !scene.rained && !slide.goes());
    root.classList.toggle("sliding", slide.goes());
    root.classList.toggle("part", model.ends < LAST);
    write(ui.luck, scene.rained ? "" : LUCK);
    write(ui.digits, ended ? released(scene.run, (x) => x.toFixed(decimals(scene.run))) : "");
    set(ui.digits, { title: ended ? released(scene.run, String) : "" });
    set(ui.picture, { "aria-label": words.replaceAll("*", "") });
    // The text below tells the end, so it waits for that.
    if (!playing || (step > model.step && step < LAST)) reach(step);
  };
  const reach = (step) => {
    if (model.step !== step) model.step = step;
  };
  // Whoever slides before the play asks for its bells; a slide of a lecture keeps its end.
  const rests = (run) => run.rests && model.ends === LAST;
  const paint = () => {
    if (!scene) return;
    scene.opened = opened;
    scene.rests = rests(scene.run);
    show(scene, t);
    tell();
  };
  const stop = () => {
    playing = slowly = false;
    rain = null;
    opened = 1;
    land();
  };
  const land = () => {
    if (glide) refit(scene, glide.to, width);
    glide = null;
  };
  const tick = (now) => {
    frame = 0;
    let ending = false;
    if (!scene || !view.model) return;
    const passed = Math.min(0.3, (now - before) / 1000);
    before = now;
    if (playing) {
      t = Math.min(goal, t + (t < ENDS[2] ? 1 : SLOW) * (slowly ? SLOWLY : brisk() ? BRISK : 1) * passed);
      if (t >= goal) {
        playing = slowly = false;
        ending = t >= END;
      }
    }
    if (rain) {
      rain.u += passed;
      if (fall(scene, rain.from, rain.u)) rain = null;
    }
    if (opened < 1) opened = Math.min(1, opened + passed / OPENS);
    if (glide) {
      glide.u = Math.min(1, glide.u + passed / GLIDES);
      refit(scene, glide.u < 1 ? blend(glide.from, glide.to, ease(glide.u)) : glide.to, width);
      if (glide.u === 1) glide = null;
    }
    if (!playing && !glide) slide.pass(passed);
    if (ending && tellsAll && brisk() && scene.run.share === WHOLE && !scene.rained && !scene.run.order)
      slide.begin(WHOLE);
    paint();
    // The buttons of the end have come, and the slider below them is what one moves next.
    if (ending) reveal();
    ending = false;
    if (playing || rain || glide || opened < 1 || slide.goes()) frame = requestAnimationFrame(tick);
  };
  const run = () => {
    before = performance.now();
    if (!frame) frame = requestAnimationFrame(tick);
  };
  const settle = () => {
    rain = null;
    fall(scene, scene.run.further.cape.length, RAIN);
  };
  const put = (moment) => {
    stop();
    t = clamp(moment, 0, END);
    if (scene) settle();
    paint();
  };
  // What a slide leaves for the drawing in the part that holds it; 0 where the page scrolls.
  const height = () => {
    const hall = Number(getComputedStyle(root).getPropertyValue("--hall"));
    if (!hall || window.innerWidth < NARROW) return 0;
    const part = root.getRootNode().host;
    return (
      part.getBoundingClientRect().top +
      parseFloat(getComputedStyle(part).minHeight) -
      ui.picture.getBoundingClientRect().top -
      14
    );
  };
  // The drawing in sight, if the window is high enough, and its sentence in any case; nothing moves without need.
  const reveal = () => {
    if (getComputedStyle(root).getPropertyValue("--head").trim() === "none") return; // A slide stands as it was laid out.
    const top = Math.min(...[ui.go, ui.say].map((part) => part.getBoundingClientRect().top)) - HEADER;
    const slider = window.innerWidth < NARROW ? root.getBoundingClientRect().bottom + SLIDER : 0;
    const below = Math.max(slider, ui.picture.getBoundingClientRect().bottom) - window.innerHeight;
    const by = top < 0 ? top : Math.min(top, below);
    if (by > 4 || by < 0) scroller(root).scrollBy({ top: by, behavior: calm.matches ? "auto" : "smooth" });
  };
  // A page tells the protocol faster than a slide of a lecture, and then what its slider does.
  const brisk = () => model.ends === LAST && !Number(getComputedStyle(root).getPropertyValue("--hall"));
  const away = () => {
    if (slide.goes() || !scene) return;
    put(END);
    if (calm.matches)
      return model.send_msg({
        wish: "share",
        share: scene.run.share ? 0 : WHOLE,
        home: scene.run.share ? 0 : WHOLE,
      });
    slide.begin(scene.run.share || WHOLE);
    reveal();
    run();
  };
  const aim = () => (t < ENDS[model.ends] ? ENDS[model.ends] : END);
  const play = () => {
    if (ui.go.dataset.sign === "stop") return paint();
    if (calm.matches) return put(t >= END ? 0 : ENDS[Math.min(LAST, stepAt(t + 0.01) + (t === 0 ? 1 : 0))]);
    playing = !playing;
    opened = 1;
    tellsAll = true;
    if (playing && (t >= END || t === ENDS[model.ends])) t = 0;
    goal = aim();
    if (playing) reveal();
    run();
  };

  // The same run with another share of zero-sum noise: the bars slide there. Within the play they first have to be seen.
  const follow = (data) => {
    const asked = slide.arrived(data.share);
    if (!asked && t < END && !playing && scene.run.share !== data.share && !(rests(data) && t <= ENDS[1])) {
      if (calm.matches) t = END;
      else playing = true;
      goal = END;
      tellsAll = false;
    }
    if (calm.matches) refit(scene, data, width);
    else glide = { from: scene.run, to: data, u: 0 };
    const many = data.further.cape.length > 0;
    if (many) {
      refit(scene, data, width);
      glide = null;
      scene.stacks = { cape: stack(scene, "cape"), conventional: stack(scene, "conventional") };
      settle();
    }
    paint();
    run();
  };

  // The server has drawn: the play goes on where it stands, unless someone asked for what has come.
  const rebuild = () => {
    const data = model.run;
    if (!width || !data.values) return;
    const old = scene?.run;
    if (scene && !wish && scene.width === width && alike(old, data)) return follow(data);
    glide = null;
    if (!old || !alike(old, data)) slide.end();
    else if (old.share !== data.share) slide.arrived(data.share);
    const same = old && old.conventional === data.conventional && old.truth === data.truth;
    const from = same ? old.further.cape.length : 0,
      longer = same && data.further.cape.length > from;
    const asked = longer || !same ? wish : "";
    if (asked) wish = "";
    scene = build(ui.picture, data, width, height());
    scene.width = width;
    pointing(scene, paint);
    scene.stacks = { cape: stack(scene, "cape"), conventional: stack(scene, "conventional") };
    settle();
    if (asked === "more" && longer) {
      t = END;
      reveal();
      if (!calm.matches) {
        rain = { from, u: 0 };
        fall(scene, from, 0);
        run();
      }
    } else if (old && !calm.matches && (asked === "new noise" || old.order !== data.order)) {
      t = ENDS[1];
      playing = true;
      tellsAll = false;
      goal = aim();
      run();
    }
    if (opened < 0) {
      opened = t === 0 && !calm.matches ? 0 : 1;
      run();
    }
    ui.more.disabled = data.further.cape.length >= data.most;
    paint();
  };
  const ask = (what) => {
    wish = what;
    if (what === "more") {
      playing = false;
      t = END;
      paint();
    }
    model.send_msg({ wish: what });
  };

  ui.go.addEventListener("click", play);
  ui.more.addEventListener("click", () => ask("more"));
  ui.noise.addEventListener("click", () => ask("new noise"));
  ui.buttons.forEach((button, i) => button.addEventListener("click", () => put(ENDS[i + 1])));
  ui.away.addEventListener("click", away);
  steady(ui.range);
  ui.range.addEventListener("input", () => put(timeAt(Number(ui.range.value))));
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (event.key === " " && !event.target.matches?.("button")) play();
    else if (by !== undefined) {
      if (calm.matches) put(ENDS[clamp(stepAt(t) + (by > 0 && t === 0 ? 2 : by), 1, LAST)]);
      else put(timeAt(placeOf(t) + (by * UNIT) / 10));
    } else return;
    event.preventDefault();
  });
  model.on("run", rebuild);
  model.on("ends", paint);
  // The server asks for a step: a link, a lecture, a preset. What the play itself has said does not come back.
  // Who comes by the first line sees it from the start.
  const begin = () => {
    if (!window.playsProtocol || !scene) return;
    window.playsProtocol = false;
    put(0);
    play();
    slowly = true;
  };
  model.on("step", () => {
    if (stepAt(t) !== model.step) put(ENDS[model.step]);
    begin();
  });
  const resize = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now > 0 && now !== width) {
      width = now;
      rebuild();
      begin();
    }
  });
  resize.observe(root);
  t = model.step > 1 ? ENDS[model.step] : 0;
  model.on("remove", () => {
    resize.disconnect();
    cancelAnimationFrame(frame);
    slide.end();
    scene = null;
  });
  return root;
}
