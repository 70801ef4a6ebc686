// Builds the live page behind the static picture, once that is painted, and takes the picture away when it stands.
{
  const template = document.getElementById("live-page");
  const parts = [...template.content.childNodes];
  for (const script of template.content.querySelectorAll("script[src]:not([type=module])")) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "script", href: script.getAttribute("src") });
    document.head.append(link);
  }

  const behind = [];
  // Scripts of a template do not run: copies of them do, in their order.
  const build = async () => {
    let fetched = [];
    for (const part of parts) {
      if (part.tagName !== "SCRIPT") {
        // The frame adds its theme to the end of the head; what it replaces must stand before it.
        const sheet = part.tagName === "LINK" || part.tagName === "STYLE";
        if (!sheet && part instanceof HTMLElement) {
          part.inert = true; // What nobody sees takes no press and no focus.
          behind.push(part);
        }
        (sheet ? document.head : document.body).append(part);
        continue;
      }
      const script = document.createElement("script");
      for (const { name, value } of part.attributes) script.setAttribute(name, value);
      script.text = part.text;
      if (script.src) {
        script.async = false;
        fetched.push(
          new Promise((done) => {
            script.onload = script.onerror = done;
          }),
        );
      } else {
        await Promise.all(fetched);
        fetched = [];
      }
      document.body.append(script);
    }
    template.remove();
  };

  // The first element inside the live page, whose parts have roots of their own.
  const find = (root, selector) => {
    for (const part of root.querySelectorAll("*")) {
      const found = part.matches(selector) ? part : part.shadowRoot && find(part.shadowRoot, selector);
      if (found) return found;
    }
  };

  // What a visitor chooses in the picture is chosen again on the live page, once that stands.
  const chosen = new Map();
  const keep = (event) => {
    const slider = event.type === "input",
      part = event.target.closest(slider ? "[data-name]" : "[data-press]");
    if (!part || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    const { name, press, number } = part.dataset;
    const selector = slider ? `[data-name="${name}"]` : `[data-press="${press}"][data-number="${number}"]`;
    if (slider) return chosen.set(selector, { selector, value: part.value });
    event.preventDefault();
    if (!event.repeat) chosen.set(chosen.size, { selector });
  };
  for (const type of ["input", "click", "keydown"])
    document.getElementById("first-picture")?.addEventListener(type, keep);
  const choose = (root, focused) => {
    for (const { selector, value } of chosen.values()) {
      const part = find(root, selector);
      if (value !== undefined && part) part.value = value;
      part?.dispatchEvent(new Event(value === undefined ? "click" : "input", { bubbles: true }));
    }
    if (focused) find(root, focused)?.focus(); // The next key belongs to the same slider.
  };
  const replace = () => {
    const picture = document.getElementById("first-picture");
    if (!picture) return;
    const roots = Bokeh.index.roots.filter((view) => view.el);
    const page = roots.map((view) => find(view.el.shadowRoot ?? view.el, ".main-content")).find(Boolean);
    if (page && picture.scrollTop) page.scrollTop = picture.scrollTop;
    const name = picture.contains(document.activeElement) && document.activeElement.dataset.name;
    picture.remove();
    for (const part of behind) part.inert = false;
    if (page) choose(page, name && `[data-name="${name}"]`);
    // Previews of links read it; on the live page the words change, and a class may guess before it sees them.
    for (const about of document.querySelectorAll("meta[name=description], meta[property='og:description']"))
      about.remove();
  };
  // On a first visit in the dark the page comes light and turns dark when it is complete: until then the picture stays.
  const dark =
    window.matchMedia("(prefers-color-scheme: dark)").matches && !document.cookie.includes("@cookie@=0");
  const turned = () =>
    Math.max(...getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3)) < 128;
  // In a narrow window the navigation closes then: until that is done, a tap would hit what nobody sees.
  const shut = () => {
    const menu = find(document.body, ".MuiDrawer-modal");
    return !menu?.checkVisibility({ visibilityProperty: true });
  };
  const stands = (tries = 100) => {
    if (((!dark || turned()) && shut()) || tries === 0) return dark ? painted(replace) : replace();
    setTimeout(stands, 20, tries - 1);
  };
  const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  // At once, since the page is drawn behind the picture: what the server sends next would hold it up.
  const wait = (asked = false) => {
    const live = globalThis.Bokeh?.documents?.[0];
    if (live?.is_idle || globalThis.Bokeh?.index?.roots?.[0]?.is_idle) return stands();
    if (live && !asked) live.idle.connect(() => stands());
    setTimeout(wait, 20, Boolean(live));
  };

  // A page in the background paints nothing: it does not wait.
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    build().then(wait);
  };
  painted(() => setTimeout(begin));
  setTimeout(begin, 500);
}
