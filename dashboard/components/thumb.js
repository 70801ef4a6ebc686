// A finger that scrolls the page may begin on a slider. Until it has moved 8 pixels nothing is chosen, and if it then
// moves up or down, the value stays. Whoever listens to the slider hears of what is chosen alone.
function steady(input) {
  const SLACK = 8;
  let from = null,
    before = "",
    way = "";
  const restore = () => {
    if (input.value !== before) input.value = before;
  };
  const end = () =>
    setTimeout(() => {
      from = null;
    });
  const hold = (event) => {
    if (!from || way === "slides") return;
    event.stopImmediatePropagation();
    if (way === "scrolls") restore();
  };
  const settle = () => {
    if (way === "scrolls") {
      restore();
      return end();
    }
    from = null;
    if (way === "" && input.value !== before)
      for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind));
  };
  input.addEventListener(
    "touchstart",
    ({ touches }) => {
      from = { x: touches[0].clientX, y: touches[0].clientY };
      before = input.value;
      way = "";
    },
    { passive: true },
  );
  input.addEventListener(
    "touchmove",
    ({ touches }) => {
      if (!from || way) return;
      const across = Math.abs(touches[0].clientX - from.x),
        along = Math.abs(touches[0].clientY - from.y);
      if (Math.max(across, along) < SLACK) return;
      way = across >= along ? "slides" : "scrolls";
      if (way === "scrolls") restore();
    },
    { passive: true },
  );
  input.addEventListener("touchend", settle);
  input.addEventListener("touchcancel", () => {
    if (way !== "slides") way = "scrolls";
    settle();
  });
  for (const kind of ["input", "change"]) input.addEventListener(kind, hold, true);
}
