// The three pages: what each draws and says for the settings, as the app's pages do.

const LOOK = FACTS.looks;
const LN10 = Math.LN10;
const linspace = (low, high, count) =>
  Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
const geomspace = (low, high, count) => linspace(Math.log(low), Math.log(high), count).map(Math.exp);
const sites = (count) => (count === 1 ? "1 colluding site" : `${count} colluding sites`);
const against = (colluding) =>
  colluding === 0 ? "the aggregator" : `the aggregator and ${sites(colluding)}`;
const line = (look, more) => ({
  kind: "line",
  colour: look.colour,
  dash: look.dash,
  label: look.label,
  ...more,
});

// What each message and the average guarantee, and what an observer of all messages learns beyond it.
function promise(s) {
  const mu = gdpMu(s.epsilon, s.delta);
  const seen = logText(logDelta(s.epsilon, mu * Math.sqrt(leakage(s.sites))));
  return (
    `Each site's message alone, and the released average, meet ${equals("ε", s.epsilon)}, ${equals("δ", s.delta)}. ` +
    `For an observer of all messages of CAPE, the exact δ at this ε is ${seen}.`
  );
}

const PAGES = {
  protocol: {
    boxes: ["main", "sums", "errors"],
    family: { name: "step", label: "Steps shown", options: FACTS.steps },
    button: "Draw new noise",
    draw(s, { step, run, again }) {
      const shown = FACTS.steps.indexOf(step) + 1,
        noise = averageNoise(s);
      const { values, zeroSum, local, messages } = run;
      const at = values.map((_, i) => i + 1),
        centre = 1.14 * s.sites + 1.4;
      const end = centre + 0.6 + 0.05 * s.sites,
        masked = values.map((v, i) => v + zeroSum[i]);
      const every = s.sites <= 12 ? 1 : s.sites <= 24 ? 2 : 5;
      const ticks = at.filter((i) => i % every === 0 || i === 1).map((i) => [i, String(i)]);
      const reach = [...values, ...masked, ...messages, run.average, run.conventional];
      const low = Math.min(...reach),
        high = Math.max(...reach),
        room = 0.08 * (high - low || 1);
      const colour = { zero: FACTS.parts.zero_sum, local: FACTS.parts.local };
      const value = {
        kind: "dots",
        x: at.map((i) => i - 0.3),
        y: values,
        colour: "var(--ink)",
        label: "true value",
      };
      const zero = {
        kind: "stems",
        x: at.map((i) => i - 0.12),
        y: values,
        to: masked,
        colour: colour.zero,
        width: 6,
        label: "zero-sum part",
      };
      const own = {
        kind: "stems",
        x: at.map((i) => i + 0.06),
        y: masked,
        to: messages,
        colour: colour.local,
        width: 6,
        label: "local part",
      };
      const message = {
        kind: "dots",
        shape: "square",
        hollow: true,
        x: at.map((i) => i + 0.26),
        y: messages,
        colour: "var(--ink)",
        label: "message",
      };
      const fan = { kind: "links", x: at.map((i) => i + 0.26), y: messages, toX: centre, toY: run.average };
      const other = {
        kind: "dots",
        shape: "diamond",
        x: [centre + 0.035 * end],
        y: [run.conventional],
        size: 6,
        colour: LOOK.conventional.colour,
        label: "conventional average",
      };
      const cape = {
        kind: "dots",
        x: [centre],
        y: [run.average],
        size: 8,
        colour: LOOK.cape.colour,
        label: "CAPE's average",
      };
      const truth = {
        kind: "rule",
        y: run.truth,
        label: "true average",
        colour: "var(--quiet)",
        dash: "dashed",
        width: 1.5,
      };
      const steps = [[value], [zero], [own], [message], [fan, other, cape]].slice(0, shown);
      const running = (part) => part.reduce((all, v) => [...all, all.at(-1) + v], [0]);
      const stairs = (part) => ({
        x: part.flatMap((_, i) => [i, i + 1]),
        y: running(part).flatMap((v, i, _all) => (i ? [v, v] : [])),
      });
      const sums = [
        { ...stairs(zeroSum), colour: colour.zero, label: "zero-sum parts" },
        { ...stairs(local), colour: colour.local, label: "local parts" },
      ].map((one) => ({ ...one, kind: "line", width: 3 }));
      const reached = sums.flatMap((one) => one.y),
        most = 1.1 * Math.max(...reached.map(Math.abs), 1e-12);
      return {
        main: {
          title: "One run of the protocol",
          x: {
            low: 0.3,
            high: end,
            text: "site",
            bare: true,
            ticks: [...ticks.filter(([i]) => i <= s.sites), [centre, "average"]],
          },
          y: { low: low - room, high: high + room, text: "value" },
          parts: [truth, ...steps.flat()],
          legend: [value, zero, own, message, cape, other, truth],
          height: 380,
        },
        sums: {
          title: "Sum of the noise so far",
          x: {
            low: 0,
            high: s.sites,
            text: "sites added",
            bare: true,
            ticks: ticks.filter(([i]) => i <= s.sites),
          },
          y: { low: -most, high: most, text: "sum" },
          parts: [{ kind: "rule", y: 0, dash: "solid" }, ...sums],
          legend: sums,
          height: 240,
        },
        errors: errors(s, noise, again),
        words:
          `In this run the error of CAPE's average is <b>${numberText(Math.abs(run.average - run.truth))}</b>, that of the conventional ` +
          `one <b>${numberText(Math.abs(run.conventional - run.truth))}</b>. Over many repetitions the standard deviation of CAPE's average is ` +
          `${numberText(noise.cape)} instead of ${numberText(noise.conventional)}: <b>√${s.sites} = ${numberText(Math.sqrt(s.sites))} times</b> ` +
          "smaller if only single messages are seen, as if one curator held all records. At equal privacy of all messages it is " +
          `${numberText(Math.sqrt(honestGain(s.sites, 0)))} times smaller.`,
        promise:
          promise(s) +
          " In a real release every repetition on the same records would add to the privacy loss.",
      };
    },
  },

  gain: {
    boxes: ["main", "sizes", "honest"],
    family: { name: "family", label: "Shape", options: FACTS.families },
    draw(s, { family }) {
      const total = s.sites * s.samples,
        top = largestRatio(total, s.sites, family),
        here = Math.min(s.imbalance, top);
      const ratio = geomspace(1, top, 80),
        gains = ratio.map((r) => gain(siteSizes(total, s.sites, r, family)));
      const size = siteSizes(total, s.sites, here, family),
        G = gain(size),
        H = G / s.sites;
      const [least, most] = gainBounds(total, s.sites),
        honest = Array.from({ length: s.sites }, (_, c) => honestGain(s.sites, c));
      const conventional = line(LOOK.conventional, { x: ratio, y: gains, width: 3, label: "conventional" });
      const cape = line(LOOK.cape, { x: ratio, y: gains.map((g) => g / s.sites), width: 3, label: "CAPE" });
      const dot = (y, look) => ({ kind: "dots", x: [here], y: [y], size: 6.5, colour: look.colour });
      const order = honest.map((_, c) => c);
      const faces = line(LOOK.cape, { x: order, y: honest, width: 3, label: "at equal privacy" });
      const equal = {
        kind: "rule",
        y: s.sites,
        colour: LOOK.conventional.colour,
        dash: "dashed",
        width: 2,
        label: "gain S, one message",
      };
      const whole = (wish) =>
        linspace(0, s.sites - 1, s.sites)
          .filter((i) => i % Math.max(1, Math.ceil(s.sites / 8)) === 0)
          .map((i) => [i + wish, String(i + wish)]);
      return {
        main: {
          x: { low: 1, high: Math.max(top, 1.01), log: true, text: "largest site ÷ smallest site" },
          y: { low: 0.8, high: 1.5 * most, log: true, text: "noise variance ÷ curator's" },
          parts: [
            { kind: "band", low: least, high: most, colour: LOOK.conventional.colour },
            { kind: "rule", y: least },
            { kind: "rule", y: most },
            { kind: "rule", x: here },
            conventional,
            cape,
            dot(G, LOOK.conventional),
            dot(H, LOOK.cape),
          ],
          legend: [
            conventional,
            cape,
            { label: "conventional, any sizes", colour: LOOK.conventional.colour, alpha: 0.2, block: true },
          ],
          height: 360,
        },
        sizes: {
          title: "Site sizes",
          x: { low: 0.4, high: s.sites + 0.6, text: "site", bare: true, ticks: whole(1) },
          y: { low: 0, high: 1.08 * Math.max(...size), text: "records" },
          legend: [],
          height: 240,
          parts: [
            {
              kind: "bars",
              x: size.map((_, i) => i + 0.62),
              to: size.map((_, i) => i + 1.38),
              y: size,
              colour: "var(--quiet)",
            },
          ],
        },
        honest: {
          title: "Gain of equal sites",
          x: { low: -0.4, high: s.sites - 0.6, text: "colluding sites", bare: true, ticks: whole(0) },
          y: { low: 0, high: 1.08 * s.sites, text: "gain" },
          legend: [faces, equal],
          height: 240,
          parts: [
            equal,
            faces,
            { kind: "dots", x: order, y: honest, size: 3, colour: LOOK.cape.colour },
            { kind: "dots", x: [s.colluding], y: [honest[s.colluding]], size: 6.5, colour: LOOK.cape.colour },
          ],
        },
        words:
          `The conventional average has <b>${numberText(G)} times</b> the noise variance of a trusted curator, CAPE ` +
          `${H > 1.0005 ? `only <b>${numberText(H)} times</b>` : "<b>exactly the curator's</b>"}. At the same privacy against ` +
          `${against(s.colluding)}, the gain of equal sites is <b>${numberText(honest[s.colluding])}</b> instead of ${s.sites}.` +
          (s.imbalance > top ? " (The imbalance ends where the smallest site holds a single record.)" : ""),
        promise:
          "These are ratios of noise variances when every message meets the same (ε, δ); no record is used. H is as published: where sizes " +
          "differ, the public average protects the records of small sites less than their messages do.",
      };
    },
  },

  guarantee: {
    boxes: ["main", "colluding", "tradeoff"],
    draw(s) {
      const decades = FACTS.floor,
        floor = Math.log(decades);
      const range = noiseRange(s.epsilon, s.sites),
        low = Math.min(range[0], s.noise),
        high = Math.max(range[1], s.noise);
      const noise = geomspace(low, high, 140),
        order = Array.from({ length: s.sites }, (_, c) => c);
      const shownAs = (log) => (log >= floor ? Math.exp(Math.min(log, Math.log(10))) : NaN);
      const curves = (xs, at) =>
        FACTS.forms.map((form) =>
          line(LOOK[form.scheme], {
            x: xs,
            y: xs.map((v) => shownAs(LOG_DELTAS[form.key](s, ...at(v)))),
            dash: form.dash,
            label: form.label,
            width: form.dash === "solid" ? 3.2 : 2,
          }),
        );
      const marks = (x) =>
        FACTS.forms.map((form) => ({
          kind: "dots",
          x: [x],
          y: [shownAs(LOG_DELTAS[form.key](s, s.noise, s.colluding))],
          colour: LOOK[form.scheme].colour,
        }));
      const along = curves(noise, (v) => [v, s.colluding]),
        byColluders = curves(order, (c) => [s.noise, c]);
      const least = Math.min(...byColluders.flatMap((c) => c.y.filter(Number.isFinite)), 1);
      const views = onlookers(s),
        z = linspace(-5, 5, 161);
      const tradeoffs = views.map((view) =>
        line(LOOK[view.scheme], {
          x: z.map((v) => ndtr(-v)),
          y: z.map((v) => ndtr(v - view.mu)),
          dash: view.dash,
          label: view.name,
        }),
      );
      const nothing = {
        kind: "line",
        x: [0, 1],
        y: [1, 0],
        colour: "var(--quiet)",
        dash: "dashed",
        width: 1.5,
        label: "nothing learned",
      };
      const delta = (from) => ({ low: from, high: 10, log: true, text: "δ" });
      const exact = LOG_DELTAS.cape_exact(s, s.noise, s.colluding),
        theorem = LOG_DELTAS.cape_theorem(s, s.noise, s.colluding);
      const learns = atMostText(gdpEpsilon(s.delta, views[2].mu));
      return {
        main: {
          x: { low, high, log: true, text: "noise of a message ÷ effect of one record, τ/Δ" },
          y: delta(decades),
          legend: along,
          height: 380,
          parts: [
            { kind: "rule", y: 1, dash: "solid" },
            { kind: "rule", x: s.noise },
            ...along,
            ...marks(s.noise),
          ],
        },
        colluding: {
          title: "δ against collusion",
          x: { low: -0.5, high: s.sites - 0.5, whole: true, text: "colluding sites" },
          y: delta(Math.max(decades, 0.05 * least)),
          parts: [{ kind: "rule", x: s.colluding }, ...byColluders, ...marks(s.colluding)],
          legend: [],
          height: 280,
        },
        tradeoff: {
          title: "Trade-off of the best attack",
          x: { low: 0, high: 1, text: "false alarms α" },
          y: { low: 0, high: 1, text: "missed T(α)" },
          parts: [nothing, ...tradeoffs],
          legend: [...tradeoffs, nothing],
          height: 280,
        },
        words:
          `Against ${against(s.colluding)} CAPE's exact guarantee is <b>δ = ${logText(exact)}</b> at ${equals("ε", s.epsilon)}; for conventional ` +
          `messages whose average has the same variance, δ is ${logText(LOG_DELTAS.conventional_exact(s, s.noise))}. ` +
          (Number.isNaN(theorem)
            ? "The published theorem has no value here."
            : theorem > exact
              ? `The published theorem states ${logText(theorem)}${theorem >= 0 ? "; a δ of 1 or more promises nothing" : ": a valid bound here, but loose"}.`
              : `The published theorem states <b>${logText(theorem)}, which is too small</b>.`),
        promise:
          `With ${equals("τ/Δ", s.noise)}, ${against(s.colluding)} ${s.colluding ? "learn" : "learns"} at most what ε = ${learns} ` +
          `allows at ${equals("δ", s.delta)}, exactly. No record is used on this page.`,
      };
    },
  },
};

// Who sees what, with μ of that view.
function onlookers(s) {
  const view = (name, dash, scheme, root) => ({ name, dash, scheme, mu: root / s.noise });
  return [
    view("the public", "solid", "cape", 1),
    view("aggregator", "dashed", "cape", Math.sqrt(leakage(s.sites))),
    view("with colluders", "dotted", "cape", Math.sqrt(leakage(s.sites, s.colluding))),
    view("conventional", "solid", "conventional", Math.sqrt(s.sites)),
  ];
}

const REPEATS = 2000,
  BINS = 41;

// Errors of many repetitions as bars under the densities that the formulas give.
function errors(_s, noise, again) {
  const widest = 3.5 * noise.conventional,
    edges = linspace(-widest, widest, BINS + 1),
    fine = linspace(-widest, widest, 201);
  const parts = ["conventional", "cape"].flatMap((name) => {
    const counts = new Array(BINS).fill(0),
      scaleTo = BINS / (2 * widest * REPEATS);
    for (const error of again[name]) {
      const bin = Math.floor(((error * noise.message + widest) / (2 * widest)) * BINS);
      if (bin >= 0 && bin < BINS) counts[bin]++;
    }
    return [
      {
        kind: "bars",
        x: edges.slice(0, -1),
        to: edges.slice(1),
        y: counts.map((n) => n * scaleTo),
        colour: LOOK[name].colour,
        alpha: 0.22,
      },
      line(LOOK[name], { x: fine, y: fine.map((e) => density(e, noise[name])) }),
    ];
  });
  return {
    title: `The error over ${numberText(REPEATS)} repetitions`,
    x: { low: -widest, high: widest, text: "released average − true average" },
    y: { low: 0, high: 1.25 * density(0, noise.cape), hide: true },
    parts,
    legend: parts.filter((p) => p.kind === "line"),
    height: 260,
  };
}

// Errors of the average in units of one message's noise, from whole runs of the zero-sum and local parts.
function repeat(sites) {
  const found = { cape: [], conventional: [] },
    zeros = new Array(sites).fill(0);
  for (let i = 0; i < REPEATS; i++) {
    const run = drawRun(zeros, 1);
    found.cape.push(run.average);
    found.conventional.push(run.conventional);
  }
  return found;
}
