// Where the averages of many runs fall: a bell of the error's distribution, darker as far as the typical error. Both are
// as high as each other; what differs is how wide they are.
function playBell(lane, at, { std, reach, told }) {
  const { bell, band } = lane,
    drawn = `${std} ${reach}`;
  shown(bell, told ? 1 : 0);
  shown(band, told ? 1 : 0);
  if (lane.drawn === drawn) return;
  lane.drawn = drawn;
  const outline = (most) => {
    const end = Math.min(most, reach / std),
      points = Array.from({ length: 49 }, (_, i) => end * (i / 24 - 1));
    const point = (z) =>
      `${at.zoomed(z * std).toFixed(1)} ${(lane.y - 0.72 * at.lane * Math.exp((-z * z) / 2)).toFixed(1)}`;
    return `M${at.zoomed(-end * std).toFixed(1)} ${lane.y}L${points.map(point).join("L")}L${at.zoomed(end * std).toFixed(1)} ${lane.y}z`;
  };
  set(bell, { d: outline(3.5) });
  set(band, { d: outline(1) });
}

// How far this one run is off, beside its mark.
function playOnce({ once }, at, { std, error, told }) {
  const from = at.zoomed(-std),
    to = at.zoomed(std),
    mark = at.zoomed(error),
    high = error > 0;
  const needs = (at.wide ? 116 : 96) * at.large,
    beside = high ? Math.max(to, mark) : Math.min(from, mark);
  const fits = high ? beside + needs < at.ends : beside - needs > at.x0;
  // Where there is no room beside the mark, it stands above it and ends with the axis.
  const x = fits ? beside + (high ? 8 : -8) : high ? at.ends : at.x0;
  set(once, { x, "text-anchor": fits === high ? "start" : "end" });
  write(once, told ? `this run ${signed(error)}` : "");
}
