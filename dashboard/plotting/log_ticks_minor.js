// Body of a ticker's function.
const [low, high] = [Math.min(cb_data.start, cb_data.end), Math.max(cb_data.start, cb_data.end)]
if (!(low > 0) || !isFinite(high) || Math.log10(high / low) > 6) return []
const ticks = []
for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
  for (let m = 1; m < 10; m++) ticks.push(Number(`${m}e${e}`))
return ticks.filter((t) => t >= low && t <= high && !cb_data.major_ticks.includes(t))
