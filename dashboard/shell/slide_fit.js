// The parts of a slide are as high as the screen asks for, and what they hold is drawn smaller until all of it is seen. While
// a slide stands both only shrink, so that nothing moves when its text changes.
const HALL = "(min-width: 900px) and (min-height: 501px)"; // A phone scrolls.
const LOWEST = 400; // So much lower at most, in pixels, is a part drawn: a longer page scrolls.
const SMALLEST = 0.75,
  STEP = 0.05; // What is drawn smaller could not be read in the back row: the slide scrolls.
const LOOKS = [0, 150, 500, 1200, 2500]; // Milliseconds after a new slide: its parts come one after another.
const CHANGES = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeFilter: ["open"],
};

function findStage(root) {
  for (const part of root.querySelectorAll("*")) {
    if (part.matches(".stage")) return part;
    const found = part.shadowRoot && findStage(part.shadowRoot);
    if (found) return found;
  }
  return null;
}

// How much higher a part would have to be, with the padding below what it holds.
const lacks = (part) => {
  const beyond = part.scrollHeight - part.clientHeight;
  return beyond > 1 ? beyond + 10 : 0;
};
const draw = (part, size, long = false) => {
  part.style.setProperty("--drawn", size);
  part.toggleAttribute("data-long", long);
};

// A part that scrolls does so as long as its slide stands: else it would not stay where its reader has scrolled it.
function drawWhole(part) {
  if (part.hasAttribute("data-long")) return;
  let size = Number(part.style.getPropertyValue("--drawn")) || 1;
  while (lacks(part) && size > SMALLEST) draw(part, (size = Math.max(SMALLEST, size - STEP)));
  if (lacks(part)) draw(part, 1, true);
}

// It takes the height that there is, a moment later.
const isFigure = (part) => part.shadowRoot?.querySelector(".bk-Figure");

// Returns functions to begin anew, and to end. `given` says whether a lecture is given.
function fitSlides(given) {
  const hall = window.matchMedia(HALL),
    root = document.documentElement.style;
  const box = (part) => part.getBoundingClientRect();
  let stage = null,
    over = 0,
    timers = [],
    frame = 0;
  const apply = (pixels) => {
    over = pixels;
    root.setProperty("--over", `${over}px`);
  };
  const look = (grows) => {
    if (!given() || !hall.matches) return over ? apply(0) : undefined;
    if (!stage?.isConnected || !box(stage).height) {
      stage = findStage(document);
      watch.disconnect();
      changes.disconnect();
      if (stage) watch.observe(stage);
    }
    if (!stage) return;
    const all = [...(stage.shadowRoot ?? stage).children];
    const parts = all.filter((part) => box(part).height && getComputedStyle(part).visibility !== "hidden");
    const shown = parts
      .filter((part) => !part.matches(".head"))
      .sort((a, b) => box(b).height - box(a).height);
    if (!shown.length) return;
    for (const part of all) part.toggleAttribute("data-fits", part === shown[0]);
    const drawn = shown.filter((part) => !isFigure(part));
    if (grows) {
      apply(0);
      for (const part of drawn) {
        draw(part, 1);
        changes.observe(part.shadowRoot ?? part, CHANGES);
      }
    }
    const onScreen = parts.filter((part) => !part.hasAttribute("data-long"));
    const excess = Math.max(...onScreen.map((part) => box(part).bottom)) + 6 - window.innerHeight;
    const least = grows ? -Math.max(0, ...drawn.map(lacks)) : over;
    const next = Math.ceil(Math.max(least, over + excess));
    if (Math.abs(next - over) > 1) apply(next > LOWEST ? 0 : next);
    drawn.forEach(drawWhole);
  };
  const soon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => look(false));
  };
  const watch = new ResizeObserver(soon),
    changes = new MutationObserver(soon);
  const anew = () => {
    timers.forEach(clearTimeout);
    timers = LOOKS.map((after) => setTimeout(look, after, true));
  };
  window.addEventListener("resize", anew);
  return [
    anew,
    () => {
      timers.forEach(clearTimeout);
      watch.disconnect();
      changes.disconnect();
      window.removeEventListener("resize", anew);
      apply(0);
    },
  ];
}
