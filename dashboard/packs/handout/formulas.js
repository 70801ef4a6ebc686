// Formulas of `core`, in its letters: core/privacy/gaussian.py and core/cape.py.

const SQRT2 = Math.SQRT2;
const LOG_SQRT_2PI = 0.5 * Math.log(2 * Math.PI);

// exp(x²) erfc(x) for x ≥ 0, from the Chebyshev coefficients of log(erfcx(x) / t), t = 2 / (2 + x).
function erfcx(x) {
  const t = 2 / (2 + x),
    u = 4 * t - 2;
  let b = 0,
    c = 0;
  for (let k = FACTS.mills.length - 1; k > 0; k--) [b, c] = [u * b - c + FACTS.mills[k], b];
  return t * Math.exp((u / 2) * b - c + FACTS.mills[0]);
}

// Mills ratio (1 − Φ(z)) / φ(z); below −37 it overflows.
function mills(z) {
  if (z < 0) return Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2) - mills(-z);
  return Math.sqrt(Math.PI / 2) * erfcx(z / SQRT2);
}

// m(t − h) − m(t + h) for small h, by its series, without cancellation.
function millsSlope(t, h) {
  const m = mills(t);
  const first = t > 1e3 ? (3 / t ** 2 - 1) / t ** 2 : t * m - 1;
  const second = m + t * first;
  return -2 * h * (first + ((h * h) / 6) * (2 * first + t * second));
}

function logNdtr(z) {
  const tail = 0.5 * erfcx(Math.abs(z) / SQRT2);
  return z < 0 ? Math.log(tail) - (z * z) / 2 : Math.log1p(-tail * Math.exp(-(z * z) / 2));
}

const ndtr = (z) => (z < 0 ? Math.exp(logNdtr(z)) : 1 - Math.exp(logNdtr(-z)));
const density = (x, std) => Math.exp(-0.5 * (x / std) ** 2 - LOG_SQRT_2PI) / std;

// log δ(ε) of a μ-GDP release.
function logDelta(epsilon, mu) {
  const t = epsilon / mu,
    h = mu / 2,
    x = t - h;
  if (x < -5) {
    const near = logNdtr(-x);
    return near + Math.log(-Math.expm1(Math.min(epsilon + logNdtr(-t - h) - near, 0)));
  }
  const drop = h < 1e-3 ? millsSlope(t, h) : mills(x) - mills(t + h);
  return (-x * x) / 2 - LOG_SQRT_2PI + Math.log(drop);
}

// Where a rising function changes its sign between two numbers; the lower end of the last interval.
function root(rising, low, high) {
  for (let i = 0; i < 200 && high - low > 1e-13 * Math.abs(high); i++) {
    const middle = (low + high) / 2;
    if (rising(middle) > 0) high = middle;
    else low = middle;
  }
  return low;
}

// Largest μ whose releases are (ε, δ)-private.
function gdpMu(epsilon, delta) {
  const surplus = (logMu) => logDelta(epsilon, Math.exp(logMu)) - Math.log(delta);
  const classical = Math.log(epsilon / Math.sqrt(2 * (Math.log(1.25) - Math.log(delta))));
  let low = classical,
    high = classical;
  while (surplus(low) > 0) low -= 1;
  while (surplus(high) < 0) high += 1;
  return Math.exp(root(surplus, low, high));
}

// Smallest ε at which a μ-GDP release is (ε, δ)-private.
function gdpEpsilon(delta, mu) {
  const surplus = (epsilon) => Math.log(delta) - logDelta(epsilon, mu);
  if (surplus(0) >= 0) return 0;
  let high = mu;
  while (surplus(high) < 0) high *= 2;
  return root(surplus, 0, high);
}

// μ² (τ/Δ)² of equal sites against the aggregator and colluding sites.
const leakage = (sites, colluding = 0) => (sites / (sites + 1)) * (1 + sites / (sites - colluding));

// The same as published: Theorem 1 of the paper, and what the program behind its Figures 5 and 6 computes.
function publishedLeakage(sites, colluding, form) {
  const honest = sites - colluding;
  if (form === "plotted") {
    const mixed = colluding * honest;
    return (sites / (sites + 1)) * (1 + (sites ** 2 - mixed) / (honest * (sites + mixed)));
  }
  const own = (9 * colluding ** 2) / honest / (sites * (1 + sites) - 3 * colluding ** 2);
  return (sites / (sites + 1)) * ((honest + 2) / honest + own);
}

// log δ of every form at noise multiplier τ/Δ; NaN where a form has no value.
const LOG_DELTAS = {
  cape_exact: (s, noise, colluding) => logDelta(s.epsilon, Math.sqrt(leakage(s.sites, colluding)) / noise),
  cape_theorem: (s, noise, colluding) => {
    const z = published(s, noise, colluding, "theorem");
    return z > 0 ? Math.log(2 / z) - (z * z) / 2 - LOG_SQRT_2PI : NaN;
  },
  cape_plotted: (s, noise, colluding) => Math.log(2) + logNdtr(-published(s, noise, colluding, "plotted")),
  conventional_exact: (s, noise) => logDelta(s.epsilon, Math.sqrt(s.sites) / noise),
  conventional_published: (s, noise) => Math.log(1.25) - 0.5 * ((s.epsilon * noise) ** 2 / s.sites),
};

function published(s, noise, colluding, form) {
  const sigma = Math.sqrt(publishedLeakage(s.sites, colluding, form)) / noise;
  return (s.epsilon - sigma ** 2 / 2) / sigma;
}

// The noise multipliers over which the conventional δ falls from near 1 to 10⁻³⁰.
function noiseRange(epsilon, sites) {
  const at = (z) => {
    const r = Math.sqrt(z * z + 2 * epsilon);
    return z >= 0 ? z + r : (2 * epsilon) / (r - z);
  };
  return [Math.sqrt(sites) / at(1), Math.sqrt(sites) / at(-11.6)];
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

// G(n) = (N²/S²) Σ 1/n_s².
const gain = (n) => (sum(n) / n.length) ** 2 * sum(n.map((size) => size ** -2));
const honestGain = (sites, colluding) => sites / leakage(sites, colluding);
const gainBounds = (total, sites) => [sites, gain([...Array(sites - 1).fill(1), total - sites + 1])];

function siteSizes(total, sites, ratio, family) {
  const shape = Array.from({ length: sites }, (_, s) =>
    family === "one giant"
      ? s < sites - 1
        ? 1
        : ratio
      : family === "two halves"
        ? s < Math.floor((sites + 1) / 2)
          ? 1
          : ratio
        : ratio ** (s / (sites - 1)),
  );
  const one = total / sum(shape);
  return shape.map((size) => one * size);
}

// The ratio of largest to smallest size at which the smallest site holds one record.
function largestRatio(total, sites, family) {
  const smallest = (log) => 1 - siteSizes(total, sites, Math.exp(log), family)[0];
  return Math.exp(root(smallest, 0, Math.log(total)));
}

// Standard deviations of one message's noise and of the average under each scheme, equal sites of numbers in [0, 1].
function averageNoise(s) {
  const message = 1 / s.samples / gdpMu(s.epsilon, s.delta);
  return {
    message,
    local: message,
    conventional: message / Math.sqrt(s.sites),
    cape: message / s.sites,
    pooled: message / s.sites,
  };
}

// Independent normal numbers by Box and Muller, from the browser's cryptographic generator.
function normals(count) {
  const found = new Float64Array(count + (count % 2)),
    words = new Uint32Array(4096);
  for (let i = 0, at = words.length; i < found.length; i += 2) {
    if (at === words.length) {
      crypto.getRandomValues(words);
      at = 0;
    }
    const uniform = () => ((words[at++] >>> 5) * 67108864 + (words[at++] >>> 6) + 0.5) / 9007199254740992;
    const radius = Math.sqrt(-2 * Math.log(uniform())),
      angle = 2 * Math.PI * uniform();
    found[i] = radius * Math.cos(angle);
    found[i + 1] = radius * Math.sin(angle);
  }
  return found.subarray(0, count);
}

// One run on these values: e_s = ê_s − mean of ê, g_s of variance τ²/S, and the conventional noise beside it.
function drawRun(values, tau) {
  const sites = values.length,
    z = normals(3 * sites);
  const shared = sum([...z.subarray(0, sites)]) / sites;
  const zeroSum = values.map((_, s) => tau * (z[s] - shared));
  const local = values.map((_, s) => (tau / Math.sqrt(sites)) * z[sites + s]);
  const messages = values.map((value, s) => value + zeroSum[s] + local[s]);
  const conventional = sum(values.map((value, s) => value + tau * z[2 * sites + s])) / sites;
  return {
    values,
    zeroSum,
    local,
    messages,
    average: sum(messages) / sites,
    conventional,
    truth: sum(values) / sites,
  };
}
