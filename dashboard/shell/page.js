// What a page needs of its browser, in the app and in a notebook.
function save({ filename, text, kind }) {
  const link = document.createElement("a");
  link.download = filename;
  link.href = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A click on a link to a page goes to `follow`. Returns the function that ends this.
function followClicks(follow) {
  const clicks = (event) => {
    const link = event.composedPath().find((part) => part.tagName === "A");
    const opens = link?.getAttribute("href")?.startsWith("?page=");
    if (opens && !event.ctrlKey && !event.metaKey && !event.shiftKey) follow(link, event);
  };
  window.addEventListener("click", clicks, true);
  return () => window.removeEventListener("click", clicks, true);
}
