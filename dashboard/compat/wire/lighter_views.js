// Views of Bokeh and Panel that do again what is done already. Run once, between the libraries and the page.

// A legend makes all its entries anew, with a canvas each, whenever any property of anything that it lists changes:
// also the data of a line, and for every line of a message once.
{
  const views = Bokeh.Models.get("Legend").prototype.default_view.prototype;
  const draw = views._render_items;
  views._render_items = function () {
    const { ncols, nrows, orientation, items } = this.model;
    const now = JSON.stringify([ncols, nrows, orientation, items.map((item) => item.visible)]);
    const stands =
      this._drawn === now &&
      !this._should_rerender_items &&
      this.entries.length === this.grid_el.children.length;
    if (stands) for (const entry of this.entries) this._toggle_inactive(entry);
    else draw.call(this);
    this._drawn = now;
  };
}

// A change that may move something lays out the whole page, at once: for a message with twenty such changes twenty
// times. Once the page stands, it is laid out once for all changes of a message.
{
  const views = Bokeh.Models.get("panel.models.esm.ReactiveESM").prototype.default_view.prototype;
  const { invalidate_layout, compute_layout } = views;
  const put_off = function (whole) {
    if (this._put_off === undefined) {
      queueMicrotask(() => {
        const act = this._put_off ? invalidate_layout : compute_layout;
        this._put_off = undefined;
        if (this.el.isConnected) act.call(this);
      });
    }
    this._put_off ||= whole;
  };
  const put_off_of = (act, whole) =>
    function () {
      if (this.is_root && this._layout_computed && this.mounted) put_off.call(this, whole);
      else act.call(this);
    };
  views.invalidate_layout = put_off_of(invalidate_layout, true);
  views.compute_layout = put_off_of(compute_layout, false);
}
