/* A strip of the whole run with the part of it that the charts show, which can be moved or drawn anew. */
{
  const HEIGHT = 30, CLICK_PX = 4;

  report.overview = (share) => {
    const svg = report.svg("svg", {"aria-hidden": "true", preserveAspectRatio: "none"});
    const part = report.html("div", {class: "part"});
    const strip = report.html("div", {class: "overview", title: "The whole run: drag to choose a part"}, svg, part);
    const total = () => report.design().total_cycles;
    let drag = null;

    const draw = () => {
      const width = strip.clientWidth;
      if (!width) return;
      svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
      let path = `M0 ${HEIGHT}`;
      for (let px = 0; px < width; px++) {
        const from = px / width * total();
        path += `H${px}V${(HEIGHT - share(from, from + total() / width) * HEIGHT).toFixed(1)}`;
      }
      svg.replaceChildren(report.svg("path", {class: "works", d: `${path}H${width}V${HEIGHT}z`}));
    };
    const show = () => {
      part.style.left = `${report.state.from_cycle / total() * 100}%`;
      part.style.width = `max(4px, ${report.axis.length() / total() * 100}%)`;
      part.hidden = report.axis.isWhole();
    };
    const cycle = (event) => {
      const box = strip.getBoundingClientRect();
      return Math.min(Math.max(0, (event.clientX - box.left) / box.width), 1) * total();
    };

    strip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const at = cycle(event), {from_cycle, to_cycle} = report.state;
      const moves = !report.axis.isWhole() && at >= from_cycle && at < to_cycle;
      drag = {at, x: event.clientX, from: moves ? from_cycle : null};
      strip.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    strip.addEventListener("pointermove", (event) => {
      if (!drag || Math.abs(event.clientX - drag.x) < CLICK_PX) return;
      const at = cycle(event);
      if (drag.from === null) report.axis.show(Math.min(at, drag.at), Math.max(at, drag.at));
      else report.axis.show(drag.from + at - drag.at, drag.from + at - drag.at + report.axis.length());
    });
    strip.addEventListener("pointerup", (event) => {
      if (drag && drag.from === null && Math.abs(event.clientX - drag.x) < CLICK_PX) {
        const half = report.axis.length() / 2;
        report.axis.show(drag.at - half, drag.at + half);
      }
      drag = null;
    });
    strip.addEventListener("pointercancel", () => { drag = null; });
    new ResizeObserver(() => requestAnimationFrame(draw)).observe(strip);
    report.subscribe(["design"], draw);
    report.subscribe(["design", "from_cycle", "to_cycle"], show);
    return strip;
  };
}
