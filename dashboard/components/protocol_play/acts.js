const shown = (element, opacity) =>
  set(element, { opacity, visibility: opacity > 0.003 ? "visible" : "hidden" });

// How far the last site has dropped out, and whether site s is this one.
const lost = ({ run }, t) => (run.order ? soft(t, ...LOST) : 0);
const silent = ({ at }, s) => s >= at.sent;

// When the noise of site s grows in its row, and when it has moved over to the running sum.
const turnOf = (s, sites, act) =>
  act === "zero" ? turn(s, sites, 0.65, 3.0, 0.85) : turn(s, sites, 3.55, 4.1, 0.4);
const grown = (t, s, sites, act) => {
  const [from, to] = turnOf(s, sites, act);
  return soft(t, from, mix(from, to, 0.4));
};
const arrived = (t, s, sites, act) => {
  const [from, to] = turnOf(s, sites, act);
  return soft(t, mix(from, to, 0.4), to);
};

function bar(line, x, to, y, width) {
  set(line, {
    x1: x,
    x2: to,
    y1: y,
    y2: y,
    "stroke-width": width,
    visibility: Math.abs(to - x) > 0.05 ? "visible" : "hidden",
  });
}

function playRows(scene, t) {
  const { at, run, rows } = scene,
    S = at.sites,
    thick = clamp(0.14 * at.row, 2.5, 6);
  // True values do not travel: they step back behind the messages, and the bars behind the averages.
  const back = soft(t, 4.3, 4.7),
    late = mix(1, 0.6, soft(t, 5.0, 5.6));
  rows.forEach((row, s) => {
    const zero = grown(t, s, S, "zero"),
      local = grown(t, s, S, "local"),
      v = run.values[s];
    const x = at.x(v),
      joint = at.x(at.partial[s]),
      masked = at.x(v + zero * run.zero_sum[s]);
    const end = at.x(at.partial[s] + local * run.local[s]);
    const pop = Math.sin(Math.PI * share(t, ...turn(s, S, 0, 0.6, 0.3)));
    // When the page opens, each value slides from its site to its place.
    const settled = ease(share(scene.opened ?? 1, ...turn(s, S, 0, 1, 0.55)));
    move(row.dot, mix(at.x0 - 6, x, settled), row.y, 1 + 0.6 * pop);
    shown(row.dot, mix(1, 0.35, back) * Math.min(1, 3 * settled));
    if (row.words) shown(row.words, (1 - soft(t, 0.6, 0.9)) * share(settled, 0.8, 1));
    bar(row.zero, x, masked, row.y - at.off, thick);
    bar(row.local, joint, local > 0 ? end : joint, row.y + at.off, thick);
    set(row.joint, { x1: joint, x2: joint, y1: row.y - at.off, y2: row.y + at.off });
    shown(row.joint, local > 0 ? late : 0);
    const here = silent(scene, s) ? mix(1, 0.3, lost(scene, t)) : 1;
    for (const part of [row.zero, row.local]) set(part, { opacity: late * here });
    if (row.head) set(row.head.group, { opacity: here });
    // What the conventional message of the row adds to its value; none of it cancels.
    bar(row.rival, x, at.x(run.conventional_messages[s]), row.y, 0.6 * thick);
    shown(row.rival, silent(scene, s) ? 0 : soft(t, RIVAL, RIVAL + 0.15) * (1 - soft(t, 7.5, OVER)));
    const r = Math.min(5.5, 0.28 * at.row);
    set(row.ghost, { x: at.x(run.messages[s]) - r, y: row.y - r, width: 2 * r, height: 2 * r, rx: 1.5 });
    shown(row.ghost, silent(scene, s) ? 0 : 0.55 * soft(t, 4.5, 4.7) * (1 - soft(t, 6.0, READ)));
    if (row.head)
      row.head.look(((t < 4.3 ? (local > 0 ? end : masked) : at.x(run.messages[s])) - at.centre) / at.half);
  });
  shown(scene.lost, lost(scene, t));
}

// What stays in the sum of those that send: the yellow noise, and as published the blue noise that lacks a part.
const stays = ({ at, run }) => at.local[at.sent] + (run.order === "before" ? at.zero[at.sent] : 0);

// A copy of each bar moves over to the running sum and is put to its end.
function playFlights(scene, t) {
  const { at, run, flights } = scene,
    S = at.sites,
    thick = clamp(0.14 * at.row, 2.5, 6);
  for (const act of ["zero", "local"])
    flights.forEach((flight, s) => {
      const u = arrived(t, s, S, act),
        blue = act === "zero",
        sums = at[act];
      const from = at.x(blue ? run.values[s] : at.partial[s]),
        to = at.x(blue ? at.partial[s] : run.messages[s]);
      const y = mix(at.y(s) + (blue ? -at.off : at.off), at.walkY(s), u);
      bar(flight[act], mix(from, at.sum(sums[s]), u), mix(to, at.sum(sums[s + 1]), u), y, thick);
      shown(flight[act], u > 0 && u < 1 ? 0.85 : 0);
    });
  // What stays, divided by the number of sites, is how far CAPE's average is off.
  const u = soft(t, 6.2, LANDS),
    sum = stays(scene),
    error = run.average - run.truth;
  bar(
    scene.rest,
    mix(at.middle, at.axis, u),
    mix(at.sum(sum), at.zoomed(error), u),
    mix(at.home - 10, at.lanes.cape, u),
    5,
  );
  shown(scene.rest, u > 0 && u < 1 ? 1 : 0);
}

// A staircase: down from site to site, and sideways by what the site's noise adds once it has come.
function stairs(at, sums, progress) {
  const top = at.walk - 4;
  let path = `M${at.sum(0)} ${top}`,
    x = at.sum(0),
    y = top,
    whole = 0;
  for (let s = 0; s < at.sites && progress(s) > 0; s++) {
    const u = share(progress(s), 0.6, 1),
      next = at.walkY(s);
    whole = mix(sums[s], sums[s + 1], u);
    y = mix(y, next, share(progress(s), 0, 0.6));
    x = at.sum(whole);
    path += `V${y.toFixed(1)}H${x.toFixed(1)}`;
  }
  return { path, x, y, whole };
}

// A sum with so many digits that its printed quotient is right.
const dividend = (sum, sites) => {
  const digits = [2, 3, 4].find((n) => short(Number(sum.toPrecision(n)) / sites) === short(sum / sites));
  return signed(sum, digits ?? 5);
};

// What stands beside a walker: the sum so far, and at the end what has become of it.
function tellSum(said, at, act, { here, y, done, home, t, all }) {
  const blue = act === "zero",
    stays = !blue && done >= 1,
    both = t > 6.2 && all !== here.whole ? `(${signed(all - here.whole)} ${signed(here.whole)})` : "";
  write(
    said,
    home
      ? "back to 0"
      : !stays
        ? signed(here.whole)
        : t > 6.2
          ? `${both || dividend(all, at.sent)} ÷ ${at.sent} = ${signed(all / at.sent)}`
          : `stays: ${signed(here.whole)}`,
  );
  said.classList.toggle("home", home);
  if (stays) {
    const reach = (both ? 110 : 62) * at.large;
    return set(said, {
      x: clamp(here.x, at.sumsLeft + reach, at.sumsRight - reach),
      y: at.home + 25,
      "text-anchor": "middle",
    });
  }
  // "back to 0" stands on the side that the yellow sum leaves free, if it has room there.
  const side = home ? at.local[at.sent] < 0 : here.x >= at.middle;
  const left = here.x - at.sumsLeft,
    right = at.sumsRight - here.x,
    needs = (home ? 98 : 56) * at.large;
  const room = home
    ? side
      ? right >= needs || right > left
      : left < needs && right > left
    : side
      ? right > needs
      : left <= needs;
  // Beside the house the yellow sum may end; then the words stand behind it.
  const gap = at.sum(at.local[at.sent]) - here.x,
    behind = home && room && gap > 0 && gap < needs && gap + needs < right + 22;
  const away = mix(home ? 22 : 14, behind ? gap + 14 : 22, home ? soft(t, 3.5, 4.1) : 0);
  return set(said, {
    x: here.x + (room ? 1 : -1) * away,
    y: y + (home ? 14 : 5),
    "text-anchor": room ? "start" : "end",
  });
}

function playWalk(scene, t) {
  const { at, walk } = scene,
    S = at.sites,
    { title, house, ring, area, paths, walkers, said } = walk;
  for (const act of ["zero", "local"]) {
    const blue = act === "zero",
      progress = (s) => arrived(t, s, S, act) * (silent(scene, s) ? 1 - lost(scene, t) : 1);
    const here = stairs(at, at[act], progress),
      done = arrived(t, S - 1, S, act),
      begun = progress(0) > 0 ? 1 : 0;
    const last = blue ? soft(t, 2.98, HOME) : soft(t, 4.1, 4.2),
      y = mix(here.y, at.home - 10, last);
    // The sum that comes after the messages takes all blue noise off.
    const taken = blue && scene.run.order === "after" ? soft(t, ...TAKEN) : 0;
    here.x = mix(here.x, at.middle, taken);
    here.whole *= 1 - taken;
    const path = here.path + (last ? `V${y.toFixed(1)}` : "") + (taken ? `H${here.x.toFixed(1)}` : "");
    const none = blue && scene.run.share === 0; // The conventional scheme has no zero-sum noise, and nothing comes home.
    set(paths[act], { d: path });
    if (blue) set(area, { d: `${path}H${at.middle}Z` });
    shown(paths[act], none ? 0 : begun);
    shown(walkers[act], !none && (blue || begun) ? 1 : 0);
    move(walkers[act], here.x, begun ? y : at.walk - 4, 1 + 0.5 * Math.sin(Math.PI * last));
    // At home the sum is zero but for the rounding of its last digit.
    const home = done >= 1 && Math.abs(here.whole) <= 1e-9 * Math.max(...at[act].map(Math.abs));
    tellSum(said[act], at, act, { here, y, done, home, t, all: stays(scene) });
    if (blue) Object.assign(walk, { back: home });
    shown(said[act], none ? 0 : begun);
  }
  shown(area, mix(1, 0.3, soft(t, 3.5, 3.7)));
  const reached = scene.run.order === "after" ? TAKEN[1] : HOME,
    burst = share(t, reached - 0.05, reached + 0.5);
  set(ring, { r: 10 + 34 * ease(burst) });
  shown(ring, scene.run.share && burst > 0 && burst < 1 ? 0.8 * (1 - burst) : 0);
  move(house, at.middle, at.home, 1 + 0.6 * Math.sin(Math.PI * share(t, 3.0, 3.4)));
  const still = t >= reached - 0.05 && scene.run.share && (!scene.run.order || walk.back);
  set(house, { class: still ? "home reached" : "home" });
  // Messages and averages leave the running sums aside, on a phone they cross their place; at the end the yellow one is
  // divided.
  const aside = at.wide ? (scene.run.order ? 1 : 0.35) : 0; // Where a site drops out, they change.
  shown(walk.group, mix(1, aside, soft(t, 4.3, 4.6)) + (1 - aside) * soft(t, 5.5, 6));
  write(title, t <= ENDS[2] ? "running sum of the noise" : "running sums of the noise");
}

function playLetters(scene, t) {
  const { at, run, flights, marks, officer } = scene,
    S = at.sites;
  const merge = soft(t, 5.55, 6.15),
    average = at.x(run.average);
  flights.forEach(({ letter, masked, rival }, s) => {
    if (silent(scene, s)) return [letter, masked, rival].forEach((part) => shown(part, 0));
    const r = Math.min(6.5, 0.3 * at.row + 1.5);
    const u = soft(t, ...turn(s, S, 4.5, 5.35, 0.5)),
      x = at.x(run.messages[s]);
    const across = mix(x, average, merge);
    set(letter, { x: across - r, y: mix(at.y(s), at.line, u) - r, width: 2 * r, height: 2 * r, rx: 2 });
    shown(letter, soft(t, 4.32, 4.5) * (1 - soft(t, 6.05, 6.25)));
    // In the same packet, masked, its blue noise: the secure sum opens only the sum.
    set(masked, {
      x: across + 0.3 * r,
      y: mix(at.y(s), at.line, u) - 0.3 * r,
      width: 1.5 * r,
      height: 1.5 * r,
    });
    shown(masked, run.order === "after" ? soft(t, 4.32, 4.5) * (1 - soft(t, ...TAKEN)) : 0);
    const fly = soft(t, ...turn(s, S, RIVAL + 0.05, 7.15, 0.4)),
      gather = soft(t, 7.15, 7.45);
    move(
      rival,
      mix(at.x(run.conventional_messages[s]), at.x(run.conventional), gather),
      mix(at.y(s), at.line, fly),
    );
    shown(rival, soft(t, RIVAL, RIVAL + 0.15) * (1 - soft(t, 7.4, 7.5)));
  });
  officer.look(t > 5.4 ? (average - at.centre) / at.half : 0.4 * Math.sin(3 * clamp(t, 4.3, 5.4)));
  const drop = { cape: soft(t, 6.15, LANDS), conventional: soft(t, 7.5, 7.85) };
  const born = { cape: soft(t, 6.05, 6.2), conventional: soft(t, 7.4, 7.5) };
  for (const scheme of ["cape", "conventional"]) {
    const value = scheme === "cape" ? run.average : run.conventional;
    const x = mix(at.x(value), at.zoomed(value - run.truth), drop[scheme]);
    move(marks[scheme], x, mix(at.line, at.lanes[scheme] - 10, drop[scheme]), born[scheme]);
    shown(marks[scheme], born[scheme] * (scene.rained > 0 && drop[scheme] >= 1 ? 0 : 1));
  }
  return drop;
}

function playResult(scene, t, drop) {
  const { at, run, lanes, ends, questions } = scene;
  shown(ends, scene.rests ? 1 : soft(t, 5.4, 5.9));
  shown(questions.lead, 1 - soft(t, 0.6, 0.8));
  shown(questions.far, 1 - soft(t, 5.4, 5.6));
  write(scene.learns, t >= END ? run.learns : "");
  write(lanes.cape.name, run.lane);
  for (const scheme of ["cape", "conventional"]) {
    const lane = lanes[scheme],
      value = scheme === "cape" ? run.average : run.conventional;
    const landed = drop[scheme] >= 1,
      many = scene.rained > 0;
    const reach = many ? typical(scene, scheme) : Math.abs(value - run.truth);
    const from = at.zoomed(many ? -reach : 0),
      to = at.zoomed(many ? reach : value - run.truth);
    const blue = run.order === "before" && scheme === "cape" ? at.zoomed(at.zero[at.sent] / at.sent) : from;
    const both = blue === from ? 0 : 3;
    bar(lane.miss, blue, landed ? to : blue, lane.y + both, 5);
    bar(lane.meant, from, landed ? blue : from, lane.y - both, 5);
    const told = landed || scene.rests;
    write(
      lane.small,
      told && (at.wide || scheme === "cape")
        ? many
          ? `of these ${1 + scene.rained}`
          : at.wide
            ? "standard deviation"
            : "std. dev."
        : "",
    );
    write(lane.big, told ? `±${three(many ? reach : run.bands[scheme])}` : "");
    shown(lane.blocks, landed && many ? 1 : 0);
    playBell(lane, at, { std: run.bands[scheme], reach: run.reach, told: told && !many });
    playOnce(lane, at, { std: run.bands[scheme], error: value - run.truth, told: landed && !many });
    // The unknown average wanders where two of three runs end.
    const span = scene.rests ? at.zoomed(run.bands[scheme]) - at.axis : 10;
    questions.marks[scheme].style.setProperty("--span", `${span.toFixed(1)}px`);
  }
}

// The picture at a moment: everything is a function of it, so that it can be played, dragged and jumped to.
function show(scene, t) {
  playRows(scene, t);
  playFlights(scene, t);
  playWalk(scene, t);
  playResult(scene, t, playLetters(scene, t));
  playTip(scene, t);
}
