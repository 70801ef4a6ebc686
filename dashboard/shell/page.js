// What a page needs of its browser, in the app and in a notebook.
function save({ filename, text, kind }) {
  const link = document.createElement("a");
  link.download = filename;
  link.href = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// One help note is open at a time; a click outside or Escape closes it. A click on a link to a page goes to `follow`.
// Returns the function that ends this.
function followClicks(follow) {
  let help = null;
  const clicks = (event) => {
    const path = event.composedPath();
    const now = path.find((part) => part.matches?.("details.help")) ?? null;
    if (help && help !== now) help.open = false;
    help = now;
    const link = path.find((part) => part.tagName === "A");
    const opens = link?.getAttribute("href")?.startsWith("?page=");
    if (opens && !event.ctrlKey && !event.metaKey && !event.shiftKey) follow(link, event);
  };
  const shut = (event) => {
    if (event.key !== "Escape" || !help?.open) return;
    help.open = false;
    help.querySelector("summary").focus();
    event.stopImmediatePropagation();
  };
  window.addEventListener("click", clicks, true);
  window.addEventListener("keydown", shut, true);
  return () => {
    window.removeEventListener("click", clicks, true);
    window.removeEventListener("keydown", shut, true);
  };
}
