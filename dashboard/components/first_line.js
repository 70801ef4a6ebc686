// What happens here, in two sentences, until its reader has met it: the browser keeps that, if it keeps anything.
const PLAY = "protocol";

export function render({ model }) {
  const root = document.createElement("div"),
    link = document.createElement("a");
  root.style.display = "contents";
  link.href = `?page=${PLAY}`;
  link.dataset.page = PLAY; // As from the navigation: the settings of this page stand as they are.
  link.hidden = true;
  const told = document.createElement("div");
  told.style.display = "contents";
  root.append(told, link);
  root.addEventListener("click", ({ target }) => {
    const { press } = target.closest("[data-press]")?.dataset ?? {};
    if (press === "see") {
      window.playsProtocol = true; // The play begins once it stands.
      link.click();
    }
    if (press !== "dismiss") return;
    document.documentElement.dataset.met = "";
    try {
      localStorage.setItem("@key@", "1");
    } catch {} // Then it is dismissed for this visit.
  });
  const draw = () => {
    told.innerHTML = model.text;
  };
  model.on("text", draw);
  draw();
  return root;
}
