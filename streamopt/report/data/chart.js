/* A chart of rows over the cycle axis: labels at the left, bars at the right, one SVG for all rows.

   report.chart(anchor, how) fills the place of a section. `how` has
     rows(design)            the rows, each with a name
     height                  of a row in pixels
     draw(svg, row, frame)   draws a row; frame has y, width, x(cycle), column(pixel) -> [from, to)
     over(svg, rows, frame)  draws over all rows; optional
     tell(row, from, to)     pairs of a term and words about a row between two cycles
     choose(row)             what a click on a row does
     isChosen(row, state)    whether it is marked
     keys                    of the state that it shows, besides those of the axis
     tools                   further elements of the toolbar
     overview(from, to)      share of 1 that a strip of the whole run shows; without it there is none
     legend                  pairs of a class and words */
{
  const AXIS_PX = 26, CLICK_PX = 4;
  const HINT = "Drag to zoom in, Shift-drag to move, Ctrl + wheel or + and − to zoom, arrows to move, "
    + "0 for the whole run; Shift + arrows move the cursor.";

  const button = (words, title, act) =>
    report.html("button", {type: "button", title, "aria-label": title, click: act}, words);

  const toolbar = (how) => {
    const read = report.html("output", {class: "range"});
    report.subscribe(["design", "from_cycle", "to_cycle"], () => {
      read.textContent = report.axis.words();
    });
    return report.html("div", {class: "bar", role: "toolbar", "aria-label": "Zoom"},
      button("+", "Zoom in", () => report.axis.zoom(1 / 2)),
      button("−", "Zoom out", () => report.axis.zoom(2)),
      button("◀", "Earlier", () => report.axis.move(-1 / 2)),
      button("▶", "Later", () => report.axis.move(1 / 2)),
      button("Whole run", "Show the whole run", () => report.axis.reset()),
      ...(how.tools || []), read);
  };

  class Chart {
    constructor(place, how) {
      this.how = how;
      this.labels = report.html("div", {class: "labels", role: "group", "aria-label": how.title});
      this.svg = report.svg("svg", {"aria-hidden": "true"});
      this.brush = report.html("div", {class: "brush", hidden: true});
      this.cursor = report.html("div", {class: "cursor", hidden: true});
      this.plot = report.html("div", {class: "plot"}, this.svg, this.cursor, this.brush);
      this.box = report.html("div", {class: "chart"}, this.labels, this.plot);
      if (how.overview) {
        this.box.append(report.html("span", {class: "whole"}, "Whole run"), report.overview(how.overview));
      }
      place.append(toolbar(how), this.box, report.legend(how.legend));
      if (how.overview) place.append(report.html("p", {class: "hint"}, HINT));
      this.area = place;
      this.width = 0;
      this.listen();
      report.subscribe(["design"], () => this.relabel());
      report.subscribe(["from_cycle", "to_cycle", "node", "channel", ...how.keys], () => this.draw());
      report.subscribe(["cursor_cycle"], () => this.point());
      new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(this.plot);
      this.fit();
    }

    get height() { return AXIS_PX + this.rows.length * this.how.height + 4; }
    x(cycle) {
      const {from_cycle, to_cycle} = report.state;
      return (cycle - from_cycle) / (to_cycle - from_cycle) * this.width;
    }
    cycle(px) {
      const {from_cycle, to_cycle} = report.state;
      return from_cycle + px / this.width * (to_cycle - from_cycle);
    }

    relabel() {
      this.rows = this.how.rows(report.design());
      this.area.hidden = !this.rows.length;
      this.buttons = this.rows.map((row, at) => report.html("button", {
        type: "button", title: row.name, tabindex: at ? -1 : 0, style: `height:${this.how.height}px`,
        click: () => this.choose(row),
        focus: () => this.focused(at),
        blur: () => report.untip(),
      }, row.name));
      this.labels.replaceChildren(...this.buttons);
      this.labels.style.paddingTop = `${AXIS_PX}px`;
      this.draw();
    }

    fit(width = this.plot.clientWidth) {
      if (width && width !== this.width) {
        this.width = width;
        this.draw();
      }
    }

    draw() {
      if (!this.width || !this.rows) return;
      const {svg, how, width} = this;
      const frame = {
        width, height: how.height,
        x: (cycle) => this.x(cycle),
        y: (at) => AXIS_PX + at * how.height,
        column: (px) => [this.cycle(px), this.cycle(px + 1)],
      };
      for (const [name, value] of Object.entries({
        width, height: this.height, viewBox: `0 0 ${width} ${this.height}`,
      })) svg.setAttribute(name, value);
      svg.replaceChildren(...this.grid(frame));
      this.rows.forEach((row, at) => {
        const chosen = how.isChosen(row, report.state);
        this.buttons[at].setAttribute("aria-pressed", chosen);
        if (chosen) {
          svg.append(report.svg("rect", {
            class: "chosen", x: 0, y: frame.y(at), width, height: how.height,
          }));
        }
        how.draw(svg, row, frame, at);
      });
      if (how.over) how.over(svg, this.rows, frame);
      this.point();
    }

    *grid(frame) {
      for (const tick of report.axis.ticks(this.width)) {
        const x = this.x(tick);
        yield report.svg("path", {class: "grid", d: `M${x.toFixed(1)} ${AXIS_PX - 6}V${this.height}`});
        const anchor = x < 30 ? "start" : x > this.width - 40 ? "end" : "middle";
        yield report.svg("text", {
          class: "tick", x: x.toFixed(1), y: AXIS_PX - 10, "text-anchor": anchor,
        }, report.number(tick));
      }
      yield report.svg("path", {class: "lines", d: this.rows
        .map((_, at) => `M0 ${frame.y(at) + 0.5}H${this.width}`).join("")});
    }

    point() {
      const at = report.state.cursor_cycle;
      const seen = at !== null && at >= report.state.from_cycle && at < report.state.to_cycle;
      this.cursor.hidden = !seen;
      if (seen) this.cursor.style.left = `${this.x(at + 0.5).toFixed(1)}px`;
    }

    /* Tells of a row at the cursor, to those who hear and to those who see. */
    focused(at) {
      this.buttons.forEach((each, other) => { each.tabIndex = other === at ? 0 : -1; });
      if (this.pressed) return;
      const {from_cycle, to_cycle, cursor_cycle} = report.state;
      const seen = cursor_cycle !== null && cursor_cycle >= from_cycle && cursor_cycle < to_cycle;
      const span = seen ? [cursor_cycle, cursor_cycle + 1] : [from_cycle, to_cycle];
      const pairs = this.how.tell(this.rows[at], ...span);
      const box = this.buttons[at].getBoundingClientRect();
      report.tip(box.right - 16, box.bottom - 12, this.rows[at].name, pairs);
      report.say(`${this.rows[at].name}: ${pairs.map((pair) => pair.join(" ")).join("; ")}`);
    }

    choose(row) {
      report.untip();
      this.how.choose(row);
    }

    rowAt(y) {
      const at = Math.floor((y - AXIS_PX) / this.how.height);
      return at >= 0 && at < this.rows.length ? at : null;
    }

    listen() {
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.box.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
      this.plot.addEventListener("pointerdown", (event) => this.down(event));
      this.plot.addEventListener("pointermove", (event) => this.moved(event));
      this.plot.addEventListener("pointerup", (event) => this.up(event));
      this.plot.addEventListener("pointercancel", () => this.drop());
      this.plot.addEventListener("pointerleave", () => {
        report.untip();
        if (!this.drag) report.set({cursor_cycle: null});
      });
      this.plot.addEventListener("dblclick", () => report.axis.reset());
    }

    key(event) {
      const at = this.buttons.indexOf(document.activeElement);
      const next = {ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: this.buttons.length - 1}[event.key];
      if (at >= 0 && next !== undefined) {
        const wanted = this.buttons[next];
        if (wanted) wanted.focus();
      } else if (report.axis.key(event)) {
        if (at >= 0) this.focused(at);
      } else return;
      event.preventDefault();
    }

    wheel(event) {
      const along = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      const by = (event.deltaX || event.deltaY) * (event.deltaMode ? 30 : 1);
      const zooms = event.ctrlKey || event.metaKey || this.box.contains(document.activeElement);
      if (along && !report.axis.isWhole()) report.axis.move(by / this.width);
      else if (!along && zooms) {
        const px = event.clientX - this.plot.getBoundingClientRect().left;
        report.axis.zoom(1.2 ** (by / 60), px > 0 ? this.cycle(px) : null);
      } else return;
      event.preventDefault();
    }

    place(event) {
      const box = this.plot.getBoundingClientRect();
      return [Math.min(Math.max(0, event.clientX - box.left), this.width - 1), event.clientY - box.top];
    }

    down(event) {
      if (event.button) return;
      const [x, y] = this.place(event), at = this.rowAt(y);
      const moves = event.shiftKey || event.pointerType === "touch" || at === null;
      this.drag = {x, last: x, moves, at};
      this.plot.setPointerCapture(event.pointerId);
      if (at !== null) {
        this.pressed = true;
        this.buttons[at].focus({preventScroll: true});
        this.pressed = false;
      }
      event.preventDefault();
    }

    moved(event) {
      const [x, y] = this.place(event), drag = this.drag;
      report.set({cursor_cycle: Math.floor(this.cycle(x))});
      if (drag && drag.moves) {
        report.axis.move((drag.last - x) / this.width);
        drag.last = x;
      } else if (drag) {
        this.brush.hidden = Math.abs(x - drag.x) < CLICK_PX;
        this.brush.style.left = `${Math.min(x, drag.x)}px`;
        this.brush.style.width = `${Math.abs(x - drag.x)}px`;
      } else {
        const at = this.rowAt(y);
        if (at === null) report.untip();
        else {
          const from = Math.floor(this.cycle(x)), to = Math.max(from + 1, Math.round(this.cycle(x + 1)));
          report.tip(event.clientX, event.clientY, this.rows[at].name, this.how.tell(this.rows[at], from, to));
        }
      }
    }

    up(event) {
      const [x] = this.place(event), drag = this.drag;
      this.drop();
      if (!drag) return;
      if (Math.abs(x - drag.x) < CLICK_PX) {
        if (drag.at !== null) this.choose(this.rows[drag.at]);
      } else if (!drag.moves) {
        report.axis.show(this.cycle(Math.min(x, drag.x)), this.cycle(Math.max(x, drag.x)));
      }
    }

    drop() {
      this.drag = null;
      this.brush.hidden = true;
    }
  }

  const charts = [];
  report.chart = (anchor, how) => {
    const place = report.place(anchor);
    if (place && report.designs.length) charts.push(new Chart(place, how));
  };

  /* On paper: the whole run, as wide as the paper. */
  const PAPER_PX = 560;  // beside the labels, which page.css makes 150 wide
  let before = null;
  addEventListener("beforeprint", () => {
    before = {from_cycle: report.state.from_cycle, to_cycle: report.state.to_cycle};
    report.set({from_cycle: 0, to_cycle: report.design() ? report.design().total_cycles : 0, cursor_cycle: null});
    for (const chart of charts) chart.fit(PAPER_PX);
  });
  addEventListener("afterprint", () => {
    if (before) report.set(before);
    for (const chart of charts) chart.fit();
  });
}
