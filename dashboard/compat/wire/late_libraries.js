// Loads the libraries of tables in front of the first one. Run once, between the libraries and the page; given: late,
// their addresses, which are loaded in their order.
if (late.length) {
  const load = (url) =>
    new Promise((done, failed) => {
      const sheet = /[.]css([?]|$)/.test(url);
      const part = document.createElement(sheet ? "link" : "script");
      if (sheet) part.rel = "stylesheet";
      part[sheet ? "href" : "src"] = url;
      part.async = false;
      part.onload = done;
      part.onerror = () => failed(new Error(`${url} could not be loaded`));
      document.head.append(part);
    });
  let loaded;
  // A view is complete only after its `lazy_initialize`.
  const view = Bokeh.Models.get("panel.models.tabulator.DataTabulator").prototype.default_view.prototype;
  const initialize = view.lazy_initialize;
  view.lazy_initialize = async function () {
    await (loaded ??= Promise.all(late.map(load))).catch(console.error);
    return initialize.call(this);
  };
}
