/* Occupancy of FIFOs over the cycle axis of the Gantt chart: a row is as high as its FIFO is deep. */
{
  const TOP = 6, BAR = 26;

  const draw = (svg, fifo, frame, at) => {
    const floor = frame.y(at) + TOP + BAR;
    const first = Math.max(0, Math.floor(frame.x(0)));
    let path = `M${first} ${floor}`, before = 0;
    for (let px = first; px < frame.width; px++) {
      const height = report.greatest(fifo.series, ...frame.column(px)) / Math.max(1, fifo.depth_elems) * BAR;
      if (height !== before) path += `H${px}V${(floor - height).toFixed(1)}`;
      before = height;
    }
    svg.append(
      report.svg("path", {class: "depth", d: `M0 ${floor - BAR}H${frame.width}`}),
      report.svg("path", {class: "slots", d: `${path}H${frame.width}V${floor}z`}));
  };

  const tell = (fifo, from, to) => [
    [to - from > 1 ? "at most" : "holds",
      `${report.number(report.greatest(fifo.series, from, to))} of ${report.number(fifo.depth_elems)} slots`],
    [to - from > 1 ? "in cycles" : "at cycle",
      to - from > 1 ? `${report.number(from)} to ${report.number(to)}` : report.number(from)],
    ["from", fifo.producer || "outside"],
    ["to", fifo.consumer || "outside"],
    ["peak", `${report.number(fifo.peak_elems)} in a stream`],
    ["tokens", report.number(fifo.tokens)],
  ];

  report.chart("fifos", {
    title: "FIFOs",
    height: 38,
    rows: (design) => design.fifos,
    draw, tell,
    choose: (fifo) => report.set({channel: fifo.name}),
    isChosen: (fifo, state) => fifo.name === state.channel
      || (state.node !== null && (fifo.producer === state.node || fifo.consumer === state.node)),
    keys: [],
    legend: [["slots", "slots in use"], ["depth", "depth of the FIFO"]],
  });
}
