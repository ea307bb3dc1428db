/* The front: its curve, and a slider over its points that stays in sight; a point is a design. */
{
  const place = report.place("front");
  const front = report.designs.length ? report.designs[0].views.front : null;
  const STEP_MS = 1200;
  if (place && front) {
    const points = [...front.points].sort((a, b) => a.dsps - b.dsps);
    const isOwn = points.some((point) => point.design === 0);
    const at = (design) => points.findIndex((point) => point.design === design);
    const choose = (index) => report.set({design: points[index].design});

    const range = report.html("input", {
      type: "range", min: 0, max: points.length - 1, step: 1, "aria-label": "Point of the Pareto front",
      input: () => { stop(); choose(Number(range.value)); },
    });
    const label = report.html("output", {class: "label"});
    const step = (by, words, title) => report.html("button", {
      type: "button", "aria-label": title, title,
      click: () => { stop(); choose(Math.min(points.length - 1, Math.max(0, Number(range.value) + by))); },
    }, words);
    const play = report.html("button", {type: "button", click: () => (timer ? stop() : start())}, "Play");
    const own = isOwn ? [] : [report.html("button", {type: "button", click: () => {
      stop();
      report.set({design: 0});
    }}, "This design")];
    let timer = null;
    const stop = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = "Play";
    };
    const start = () => {
      play.textContent = "Pause";
      if (Number(range.value) === points.length - 1) choose(0);
      timer = setInterval(() => {
        if (Number(range.value) >= points.length - 1) stop();
        else choose(Number(range.value) + 1);
      }, STEP_MS);
    };
    const slider = report.html("div", {class: "slider", role: "group", "aria-label": "Designs of the front"},
      report.html("span", {}, "fewer DSPs"), range, report.html("span", {}, "fewer cycles"),
      step(-1, "◀", "Fewer DSPs"), step(1, "▶", "Fewer cycles"), play, ...own, label);
    document.getElementById("report").before(slider);

    const words = (index, design) => {
      const simulated = `${report.number(design.cycles)} cycles simulated`;
      if (index < 0) return `the design of this report: ${simulated}`;
      const {cycles, dsps, proved} = points[index];
      return `${report.number(cycles)} cycles, ${report.number(dsps)} DSPs, `
        + `${proved ? "proved" : "may be beaten"}; ${simulated}`;
    };
    report.subscribe(["design"], (state, design) => {
      const index = at(state.design);
      if (index >= 0) range.value = index;
      label.textContent = words(index, design);
      range.setAttribute("aria-valuetext", label.textContent);
    });

    const tell = (point) => [["cycles", report.number(point.cycles)], ["DSPs", report.number(point.dsps)],
      ["proof", point.proved ? "proved" : "may be beaten"]];
    report.scatter(place, ["design"], (state) => ({
      x: "DSPs of the model", y: "latency of the model in cycles", limits: [], work: 0, steps: true,
      boxes: front.boxes,
      points: points.map((point) => ({
        x: point.dsps, y: point.cycles, title: "Schedule of the front", tell: tell(point),
        kind: `${point.proved ? "" : "unproved"}${point.design === state.design ? " chosen" : ""}`,
        label: point.design === state.design
          ? `${report.number(point.cycles)} cycles, ${report.number(point.dsps)} DSPs` : "",
        choose: () => { stop(); report.set({design: point.design}); },
      })),
    }));
    place.append(report.legend(
      [["dot", "proved"], ["dot unproved", "may be beaten"], ["dot chosen", "shown"]]));
  }
}
