/* Designs above the line of multiply-accumulates on busy DSPs; a click chooses one of a front. */
{
  const place = report.place("roofline");
  const ways = report.values.ways;

  const tell = (cycles, dsps, work) => [["cycles", report.number(cycles)], ["DSPs as built", report.number(dsps)],
    ...(work && dsps ? [["of the line", `${(cycles * dsps / work).toFixed(2)} x`]] : [])];

  const designs = (state) => {
    const {work, limits} = report.designs[0].views.roofline;
    return {work, limits, points: report.designs.map((design, at) => {
      const dsps = design.views.roofline.dsps;
      return {
        x: dsps, y: design.cycles, kind: at === state.design ? "chosen" : "",
        label: at === state.design ? `${report.number(design.cycles)} cycles` : "",
        title: design.label || design.name, tell: tell(design.cycles, dsps, work),
        choose: report.designs.length > 1 ? () => report.set({design: at}) : null,
      };
    })};
  };
  const compared = () => ({
    work: ways.work, limits: ways.limits,
    points: ways.rows.map(({name, kind, dsps, cycles}) => ({
      x: dsps, y: cycles, kind, label: name, title: name, tell: tell(cycles, dsps, ways.work),
    })),
  });

  if (place && (ways || report.designs.length)) {
    report.scatter(place, ["design"], (state) => ({
      x: "DSPs as built", y: "simulated cycles", ...(ways ? compared() : designs(state)),
    }));
    place.append(report.legend([
      ...(ways ? [["own", "a level of this project"], ["rival", "another system's"]] : []),
      ["bound", "multiply-accumulates on busy DSPs"], ["limit", "what there is"]]));
  }
}
