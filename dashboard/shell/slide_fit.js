// A slide's picture is drawn as small as the height of the screen asks for: what stands with it on the stage can be seen,
// too. While a slide stands its picture only shrinks, so that nothing moves when its text changes.
const HALL = "(min-width: 900px) and (min-height: 501px)" // A phone scrolls.
const SMALLEST = 0.6 // Below this share letters could not be read: a longer page scrolls.
const LOWEST = 400 // So much lower at most, in pixels, is a figure drawn.
const LOOKS = [0, 150, 500, 1200, 2500] // Milliseconds after a new slide: its parts come one after another.

function findStage(root) {
  for (const part of root.querySelectorAll("*")) {
    if (part.matches(".stage")) return part
    const found = part.shadowRoot && findStage(part.shadowRoot)
    if (found) return found
  }
  return null
}

// The tops of a part's figures: as many as there are rows of figures.
function rowsOf(part, tops = new Set()) {
  if (part.matches?.(".bk-Figure") && part.getBoundingClientRect().height) tops.add(Math.round(part.getBoundingClientRect().top))
  for (const inner of [...(part.shadowRoot?.children ?? []), ...part.children]) rowsOf(inner, tops)
  return tops
}

// Returns functions to begin anew, and to end. `given` says whether a lecture is given.
function fitSlides(given) {
  const hall = window.matchMedia(HALL), root = document.documentElement.style
  const box = (part) => part.getBoundingClientRect()
  let stage = null, share = 1, over = 0, timers = []
  const apply = (newShare, newOver) => {
    share = newShare
    over = newOver
    root.setProperty("--fit", share)
    root.setProperty("--over", over + "px")
  }
  const look = (grows) => {
    if (!given() || !hall.matches) return share !== 1 || over ? apply(1, 0) : undefined
    if (!stage?.isConnected || !box(stage).height) {
      stage = findStage(document)
      watch.disconnect()
      if (stage) watch.observe(stage)
    }
    if (!stage) return
    const all = [...(stage.shadowRoot ?? stage).children]
    const parts = all.filter((part) => box(part).height && getComputedStyle(part).visibility !== "hidden")
    const picture = parts.filter((part) => !part.matches(".primary, .tools, .said")).sort((a, b) => box(b).height - box(a).height)[0]
    if (!picture) return
    for (const part of all) part.toggleAttribute("data-fits", part === picture)
    const rows = rowsOf(picture).size
    // A figure that came after its page was made smaller is drawn lower instead, over the whole width.
    if (rows && share !== 1) {
      apply(1, over)
      return requestAnimationFrame(() => look(grows))
    }
    const excess = Math.max(...parts.map((part) => box(part).bottom)) + 6 - window.innerHeight
    if (excess <= 1 && !(grows && excess < -24)) return
    if (rows) {
      const lower = Math.max(0, Math.ceil(over + excess / rows))
      return apply(1, lower > LOWEST ? 0 : lower)
    }
    const smaller = Math.min(1, Math.floor(1000 * share * (1 - excess / box(picture).height)) / 1000)
    apply(smaller < SMALLEST ? 1 : smaller, 0)
  }
  const watch = new ResizeObserver(() => requestAnimationFrame(() => look(false)))
  const anew = () => {
    timers.forEach(clearTimeout)
    timers = LOOKS.map((after) => setTimeout(look, after, true))
  }
  window.addEventListener("resize", anew)
  return [anew, () => {
    timers.forEach(clearTimeout)
    watch.disconnect()
    window.removeEventListener("resize", anew)
    apply(1, 0)
  }]
}

