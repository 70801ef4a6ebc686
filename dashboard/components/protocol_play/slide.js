// The blue noise slides away and comes back, through the page's own slider: every stop is a setting of the page, so that
// all that is said and drawn is of it. The next stop is asked for once the one before has stood for a beat.
const BEAT = 0.12,
  TURNS = 1.3,
  FIRST = 0.5; // Seconds that a stop stands, that the slide stays without blue noise, and before it.
const DOWN = [95, 90, 80, 60, 30, 0],
  UP = [60, 90]; // Per cent: the more blue noise, the more the error changes with it.

// The stops down to 0 and up again; the last is where the slide began.
const stopsFrom = (share) => [...[...DOWN, ...UP].filter((stop) => stop < share), share];

// `ask(share, home)` asks the server for a share. Whoever presses anything, or looks at another tab, ends the slide where it
// began; whoever takes the slider of this `name` has it where it is.
function sliding(ask, name) {
  let film = null;
  const next = () => {
    if (!film.path.length) return end();
    film.asked = film.path.shift();
    ask(film.asked, film.home);
  };
  const back = () => {
    if (film.back || (film.at === film.home && film.asked === null)) return end();
    Object.assign(film, { path: [film.home], back: true });
    if (film.asked === null) next();
  };
  const touch = (event) => {
    const slider = event.composedPath().find((part) => part.matches?.("input[type=range]"));
    if (slider?.getAttribute("aria-label") === name()) end();
    else if (event.type !== "pointerdown" || slider) back(); // A finger that scrolls presses nothing.
  };
  const hide = () => {
    if (document.hidden) back();
  };
  const KINDS = ["click", "keydown", "pointerdown"];
  const end = () => {
    if (film) document.documentElement.style.removeProperty("--pale");
    film = null;
    for (const kind of KINDS) window.removeEventListener(kind, touch, true);
    document.removeEventListener("visibilitychange", hide);
  };
  return {
    goes: () => film !== null,
    begin: (share) => {
      film = { home: share, at: share, path: stopsFrom(share), asked: null, wait: FIRST, back: false };
      document.documentElement.style.setProperty("--pale", "1"); // Nothing pales while a stop is on its way.
      for (const kind of KINDS) window.addEventListener(kind, touch, true);
      document.addEventListener("visibilitychange", hide);
    },
    // A run has come; returns whether the slide asked for it. Another one is somebody's own choice.
    arrived: (share) => {
      if (!film) return false;
      if (share !== film.asked) {
        end();
        return false;
      }
      Object.assign(film, { at: share, asked: null, wait: share ? BEAT : TURNS });
      if (film.back || !film.path.length) next();
      return true;
    },
    pass: (seconds) => {
      if (!film || film.asked !== null) return;
      film.wait -= seconds;
      if (film.wait <= 0) next();
    },
    end,
  };
}
