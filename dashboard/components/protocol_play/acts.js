const shown = (element, opacity) => set(element, { opacity, visibility: opacity > 0.003 ? "visible" : "hidden" })

// How far the walk along the sites is at site s: 0 before its noise has come, 1 after.
const arrived = (t, s, sites, act) => {
  const [from, to] = act === "zero" ? turn(s, sites, 0.65, 2.8, 0.75) : turn(s, sites, 3.15, 3.85, 0.4)
  return act === "zero" ? soft(t, mix(from, to, 0.55), to) : soft(t, from, to)
}

function bar(line, x, to, y, width) {
  set(line, { x1: x, x2: to, y1: y, y2: y, "stroke-width": width, visibility: Math.abs(to - x) > 0.05 ? "visible" : "hidden" })
}

function playRows(scene, t) {
  const { at, run, rows } = scene, S = at.sites, thick = clamp(0.14 * at.row, 2.5, 6)
  const late = mix(1, 0.6, soft(t, 5.0, 5.6))
  rows.forEach((row, s) => {
    const zero = arrived(t, s, S, "zero"), local = arrived(t, s, S, "local"), v = run.values[s]
    const x = at.x(v), masked = at.x(v + zero * run.zero_sum[s]), end = at.x(at.partial[s] + local * run.local[s])
    const pop = Math.sin(Math.PI * share(t, ...turn(s, S, 0, 0.6, 0.3)))
    move(row.dot, x, row.y, 1 + 0.6 * pop)
    shown(row.dot, late)
    if (row.words) shown(row.words, 1 - soft(t, 0.6, 0.9))
    bar(row.zero, x, masked, row.y - at.off, thick)
    bar(row.local, at.x(at.partial[s]), local > 0 ? end : at.x(at.partial[s]), row.y + at.off, thick)
    const joint = at.x(at.partial[s])
    set(row.joint, { x1: joint, x2: joint, y1: row.y - at.off, y2: row.y + at.off })
    shown(row.joint, local > 0 ? late : 0)
    for (const part of [row.zero, row.local]) set(part, { opacity: late })
    const r = Math.min(5.5, 0.28 * at.row)
    set(row.ghost, { x: at.x(run.messages[s]) - r, y: row.y - r, width: 2 * r, height: 2 * r, rx: 1.5 })
    shown(row.ghost, 0.55 * soft(t, 4.3, 4.5) * late)
    if (row.head) row.head.look(((t < 4 ? mix(masked, end, local > 0 ? 1 : 0) : at.x(run.messages[s])) - at.centre) / at.half)
  })
}

// A staircase: down from site to site, and sideways by what the site's noise adds.
function stairs(at, sums, progress) {
  let path = `M${at.sum(0)} ${at.walk - 4}`, x = at.sum(0), y = at.walk - 4, whole = 0
  for (let s = 0; s < at.sites && progress(s) > 0; s++) {
    y = at.walkY(s)
    whole = mix(sums[s], sums[s + 1], progress(s))
    x = at.sum(whole)
    path += `V${y.toFixed(1)}H${x.toFixed(1)}`
  }
  return { path, x, y, whole }
}

function playWalk(scene, t) {
  const { at, walk } = scene, S = at.sites, { title, house, paths, walkers, said } = walk
  for (const act of ["zero", "local"]) {
    const progress = (s) => arrived(t, s, S, act)
    const here = stairs(at, at[act], progress), done = progress(S - 1)
    const begun = progress(0) > 0 ? 1 : 0, last = act === "zero" ? soft(t, 2.8, 2.98) : soft(t, 3.85, 3.95)
    const y = mix(here.y, at.home - 10, last)
    set(paths[act], { d: here.path + (last ? `V${y.toFixed(1)}` : "") })
    shown(paths[act], begun)
    shown(walkers[act], act === "zero" ? (t > 0.6 ? 1 : 0) : begun)
    move(walkers[act], here.x, y, 1 + 0.5 * Math.sin(Math.PI * last))
    // At home the sum is zero but for the rounding of its last digit.
    const home = done >= 1 && Math.abs(here.whole) < 1e-9 * Math.max(...at[act].map(Math.abs))
    const words = act === "zero" ? (home ? "home: 0" : signed(here.whole)) : done >= 1 ? (t > 6.4 ? `${signed(here.whole)} ÷ ${S} = ${signed(here.whole / S)}` : `stays: ${signed(here.whole)}`) : signed(here.whole)
    write(said[act], words)
    const side = home ? at.local[S] < 0 : here.x < at.sumsRight - 90
    const low = act === "local" && done >= 1, beside = clamp(here.x, at.sumsLeft + 62, at.sumsRight - 62)
    set(said[act], low ? { x: beside, y: at.home + 22, "text-anchor": "middle" }
      : { x: here.x + (side ? 13 : -13), y: y + (home ? 16 : 5), "text-anchor": side ? "start" : "end" })
    shown(said[act], act === "zero" ? begun * (done >= 1 || t < 3.1 ? 1 : 0) : begun)
  }
  move(house, at.middle, at.home, 1 + 0.5 * Math.sin(Math.PI * share(t, 2.8, 3.1)))
  set(house, { class: t >= 2.85 ? "home reached" : "home" })
  shown(walk.group, soft(t, 0.3, 0.6))
  const what = t <= 0.6 ? "" : t <= 3.1 ? "running sum of the blue noise" : "running sums of the noise"
  write(title, what)
}

function playSparks(scene, t) {
  const { at, run, flights } = scene
  flights.forEach(({ spark, trail }, s) => {
    const [from, to] = turn(s, at.sites, 0.65, 2.8, 0.75), u = soft(t, from, mix(from, to, 0.55))
    const x = at.x(run.values[s]), y = at.y(s) - at.off
    const begin = at.wide ? at.walk - 6 : at.top - 14, lift = at.wide ? 20 : 0
    move(spark, mix(at.middle, x, u), mix(begin, y, u) - lift * Math.sin(Math.PI * u), 1.4 - 0.5 * u)
    const tail = Math.max(0, u - 0.16)
    set(trail, { x2: mix(at.middle, x, tail), y2: mix(begin, y, tail) - lift * Math.sin(Math.PI * tail), x1: mix(at.middle, x, u), y1: mix(begin, y, u) - lift * Math.sin(Math.PI * u) })
    shown(trail, u > 0 && u < 1 ? 0.45 : 0)
    shown(spark, u > 0 && t < to ? (u < 1 ? 1 : 1 - share(t, mix(from, to, 0.55), to)) : 0)
  })
}

function playLetters(scene, t) {
  const { at, run, flights, marks, officer } = scene, S = at.sites
  const merge = soft(t, 5.5, 6.1), average = at.x(run.average)
  flights.forEach(({ letter, rival }, s) => {
    const r = Math.min(6.5, 0.3 * at.row + 1.5)
    const u = soft(t, ...turn(s, S, 4.35, 5.25, 0.55)), x = at.x(run.messages[s])
    const across = mix(x, average, merge)
    set(letter, { x: across - r, y: mix(at.y(s), at.line, u) - r, width: 2 * r, height: 2 * r, rx: 2 })
    shown(letter, soft(t, 4.02, 4.3) * (1 - soft(t, 6.0, 6.2)))
    const fly = soft(t, ...turn(s, S, 6.5, 7.05, 0.4)), gather = soft(t, 7.05, 7.4)
    move(rival, mix(at.x(run.conventional_messages[s]), at.x(run.conventional), gather), mix(at.y(s), at.line, fly))
    shown(rival, soft(t, 6.45, 6.6) * (1 - soft(t, 7.35, 7.5)))
  })
  officer.look(t > 5.3 ? (average - at.centre) / at.half : 0.4 * Math.sin(3 * clamp(t, 4, 5.3)))
  const drop = { cape: soft(t, 6.15, 6.5), conventional: soft(t, 7.45, 7.8) }
  const born = { cape: soft(t, 6.0, 6.15), conventional: soft(t, 7.35, 7.45) }
  for (const scheme of ["cape", "conventional"]) {
    const value = scheme === "cape" ? run.average : run.conventional
    const x = mix(at.x(value), at.zoomed(value - run.truth), drop[scheme])
    move(marks[scheme], x, mix(at.line, at.lanes[scheme] - 10, drop[scheme]), born[scheme])
    shown(marks[scheme], born[scheme] * (scene.rained > 0 && drop[scheme] >= 1 ? 0 : 1))
  }
  return drop
}

function playResult(scene, t, drop) {
  const { at, run, lanes, result } = scene
  shown(result, soft(t, 5.4, 5.9))
  shown(scene.question, 1 - soft(t, 5.3, 5.6))
  for (const scheme of ["cape", "conventional"]) {
    const lane = lanes[scheme], value = scheme === "cape" ? run.average : run.conventional
    shown(lane.group, scheme === "cape" ? 1 : soft(t, 6.4, 6.7))
    const landed = drop[scheme] >= 1, many = scene.rained > 0
    const reach = many ? typical(scene, scheme) : Math.abs(value - run.truth)
    const from = at.zoomed(many ? -reach : 0), to = at.zoomed(many ? reach : value - run.truth)
    bar(lane.miss, from, landed ? to : from, lane.y, many ? 5 : 4)
    write(lane.small, landed && at.wide ? (many ? `typically off by (${scene.rained + 1} runs)` : "off by") : "")
    write(lane.big, landed ? (at.wide ? "" : "off ") + short(reach) : "")
    shown(lane.blocks, landed && many ? 1 : 0)
  }
}

// The picture at a moment: everything is a function of it, so that it can be played, dragged and jumped to.
function show(scene, t) {
  playRows(scene, t)
  playWalk(scene, t)
  playSparks(scene, t)
  playResult(scene, t, playLetters(scene, t))
}
