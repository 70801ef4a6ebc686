// Seconds at which the steps end; the first begins at 0.
const ENDS = [0, 0.6, 3.5, 4.3, 5.4, 8];
const LAST = ENDS.length - 1;
const END = ENDS[LAST];
const HOME = 3.15; // The blue walk is at home.
const LANDS = 6.6; // CAPE's average is at its place.
const RIVAL = 6.65; // The conventional messages set off.
const READ = 6.2; // The places of the messages have vanished.
const LOST = [4.3, 4.7]; // When the last site drops out, if it does.
const TAKEN = [5.5, 6.1]; // When the sum that comes after the messages is taken off.
const OVER = 7.9; // So have the bars of conventional noise.
const SLOW = 0.75; // So fast the clock goes from the third step on: their sentences come while much else moves.
const BRISK = 1.5; // Times as fast on a page that then shows more.
const SLOWLY = 0.35; // And for who comes by the first line, and reads every sentence for the first time.
const WHOLE = 100; // Per cent of CAPE's zero-sum noise: CAPE itself.
const UNIT = 100; // Units of the slider for each step, however long it takes.
const OPENS = 1.1; // Seconds in which the values slide to their places when the page opens.
const GLIDES = 0.22; // Seconds in which bars slide to another share of zero-sum noise.
const RAIN = 3.4; // Seconds that further runs take to fall.

const clamp = (x, low = 0, high = 1) => Math.min(high, Math.max(low, x));
const share = (t, from, to) => clamp((t - from) / (to - from));
const ease = (u) => (u < 0.5 ? 2 * u * u : 1 - (2 - 2 * u) ** 2 / 2);
const soft = (t, from, to) => ease(share(t, from, to));
const mix = (a, b, u) => a + (b - a) * u;

// The step that a moment belongs to, from 1; the end of a step belongs to it.
const stepAt = (t) =>
  Math.max(
    1,
    ENDS.findIndex((end, i) => i > 0 && t <= end + 1e-9),
  );
const placeOf = (t) => {
  const step = t >= END ? LAST : stepAt(t);
  return UNIT * (step - 1 + share(t, ENDS[step - 1], ENDS[step]));
};
const timeAt = (place) => {
  const step = clamp(Math.floor(place / UNIT) + 1, 1, LAST);
  return mix(ENDS[step - 1], ENDS[step], clamp(place / UNIT - (step - 1)));
};
// When site s of S has its turn, between two moments.
const turn = (s, sites, from, to, takes) => {
  const start = from + ((to - from - takes) * s) / Math.max(1, sites - 1);
  return [start, start + takes];
};
