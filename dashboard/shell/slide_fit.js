// The parts of a slide are as high as the screen asks for. While a slide stands they only shrink, so that nothing moves when
// its text changes.
const HALL = "(min-width: 900px) and (min-height: 501px)" // A phone scrolls.
const LOWEST = 400 // So much lower at most, in pixels, is a part drawn: a longer page scrolls.
const LOOKS = [0, 150, 500, 1200, 2500] // Milliseconds after a new slide: its parts come one after another.

function findStage(root) {
  for (const part of root.querySelectorAll("*")) {
    if (part.matches(".stage")) return part
    const found = part.shadowRoot && findStage(part.shadowRoot)
    if (found) return found
  }
  return null
}

// Returns functions to begin anew, and to end. `given` says whether a lecture is given.
function fitSlides(given) {
  const hall = window.matchMedia(HALL), root = document.documentElement.style
  const box = (part) => part.getBoundingClientRect()
  let stage = null, over = 0, timers = []
  const apply = (pixels) => {
    over = pixels
    root.setProperty("--over", over + "px")
  }
  const look = (grows) => {
    if (!given() || !hall.matches) return over ? apply(0) : undefined
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
    const excess = Math.max(...parts.map((part) => box(part).bottom)) + 6 - window.innerHeight
    if (excess <= 1 && !(grows && excess < -24)) return
    const lower = Math.max(0, Math.ceil(over + excess))
    apply(lower > LOWEST ? 0 : lower)
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
    apply(0)
  }]
}

