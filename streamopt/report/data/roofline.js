/* Designs above the line of multiply-accumulates on busy DSPs; a click chooses one of a front. */
{
  const place = report.place("roofline");
  const found = report.designs.map((design) => design.views.roofline);
  if (place && found[0]) {
    report.scatter(place, ["design"], (state) => ({
      x: "DSPs as built", y: "simulated cycles", work: found[0].work, limits: found[0].limits,
      points: report.designs.map((design, at) => ({
        x: found[at].dsps, y: design.cycles, kind: at === state.design ? "chosen" : "",
        label: at === state.design ? `${report.number(design.cycles)} cycles` : "",
        title: design.label || design.name,
        tell: [["cycles", report.number(design.cycles)], ["DSPs as built", report.number(found[at].dsps)],
          ...(found[at].work && found[at].dsps
            ? [["of the line", `${(design.cycles * found[at].dsps / found[at].work).toFixed(2)} x`]] : [])],
        choose: report.designs.length > 1 ? () => report.set({design: at}) : null,
      })),
    }));
    place.append(report.html("ul", {class: "legend"},
      report.html("li", {}, report.html("i", {class: "bound"}), "multiply-accumulates on busy DSPs"),
      report.html("li", {}, report.html("i", {class: "limit"}), "what there is")));
  }
}
