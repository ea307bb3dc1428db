/* The run as a Gantt chart: bars of the share at work and the shares of each kind of wait, the critical path
   over them, accesses to FIFOs and the closed form as thin lines. */
{
  const TOP = 10, BAR = 18, READS = 4, WRITES = 33, FORM = 37, STEPS = BAR * 2;
  const KINDS = ["works", "input", "room", "buffer"];
  const WORDS = {
    input: (wait) => `for input ${wait.of}` + (wait.peer ? ` from ${wait.peer}` : ""),
    room: (wait) => `for room in ${wait.of}` + (wait.peer ? `, which ${wait.peer} reads` : ""),
    buffer: (wait) => `for buffer ${wait.of}` + (wait.peer ? ` of ${wait.peer}` : ""),
  };

  /* Returns the percent of a span that a process works, and that each kind of wait takes. */
  const kinds = (process, from, to) => {
    const [works, ...waits] = report.means(process.series, process.waits.length + 1, from, to);
    const found = {works, input: 0, room: 0, buffer: 0};
    waits.forEach((share, at) => { found[process.waits[at].kind] += share; });
    return found;
  };

  /* Returns paths of stacked areas, a column of pixels after the other; equal columns are one. */
  const areas = (process, frame, y) => {
    const paths = {works: "", input: "", room: "", buffer: ""};
    const first = process.frames.length ? Math.max(0, Math.floor(frame.x(0))) : frame.width;
    let start = first, before = null;
    const flush = (end) => {
      if (!before || start === end) return;
      let bottom = y + TOP + BAR;
      KINDS.forEach((kind, at) => {
        const height = before[at] / STEPS * BAR;
        if (height) paths[kind] += `M${start} ${bottom}h${end - start}v${-height}h${start - end}z`;
        bottom -= height;
      });
    };
    for (let px = first; px < frame.width; px++) {
      const found = kinds(process, ...frame.column(px));
      const steps = KINDS.map((kind) => Math.round(found[kind] / 100 * STEPS));
      if (!before || steps.some((step, at) => step !== before[at])) {
        flush(px);
        [start, before] = [px, steps];
      }
    }
    flush(frame.width);
    return paths;
  };

  const line = (kind, span, y, frame) => {
    const from = Math.max(-2, frame.x(span[0])), to = Math.min(frame.width + 2, frame.x(span[1]));
    return to < from ? [] : [report.svg("path", {class: kind, d: `M${from} ${y}H${Math.max(to, from + 1)}`})];
  };

  const draw = (svg, process, frame, at) => {
    const y = frame.y(at), paths = areas(process, frame, y);
    for (const [start, end] of process.frames) {
      const from = Math.max(-2, frame.x(start)), to = Math.min(frame.width + 2, frame.x(end));
      if (to >= from) {
        svg.append(report.svg("rect", {
          class: "frame", x: from, y: y + TOP - 0.5, width: Math.max(1, to - from), height: BAR + 1,
        }));
      }
    }
    for (const kind of KINDS) {
      if (paths[kind]) svg.append(report.svg("path", {class: kind, d: paths[kind]}));
    }
    if (process.reads) svg.append(...line("reads", process.reads, y + READS, frame));
    if (process.writes) svg.append(...line("writes", process.writes, y + WRITES, frame));
    if (process.form) {
      const [start, first, last] = process.form;
      svg.append(...line("form before", [start, first], y + FORM, frame));
      svg.append(...line("form", [first, last], y + FORM, frame));
    }
  };

  /* The critical path: a frame around what all wait for, and a line down or up to what waited. */
  const over = (svg, rows, frame) => {
    if (!report.state.critical) return;
    const place = new Map(rows.map((row, at) => [row.name, at]));
    let path = "", last = null;
    for (const part of report.design().critical) {
      const at = place.get(part.process);
      if (at === undefined) continue;
      const from = Math.max(-4, frame.x(part.start_cycle));
      const to = Math.min(frame.width + 4, frame.x(part.end_cycle));
      if (last !== null && last !== at && from >= 0 && from <= frame.width) {
        const [upper, lower] = last < at ? [last, at] : [at, last];
        path += `M${from.toFixed(1)} ${frame.y(upper) + TOP + BAR}V${frame.y(lower) + TOP}`;
      }
      if (to >= from) {
        const wide = Math.max(0.5, to - from).toFixed(1);
        path += `M${from.toFixed(1)} ${frame.y(at) + TOP - 2}h${wide}v${BAR + 4}h-${wide}z`;
      }
      last = at;
    }
    svg.append(report.svg("path", {class: "critical", d: path}));
  };

  const percent = (share) => `${share > 0 && share < 1 ? "< 1" : Math.round(share)} %`;

  const tell = (process, from, to) => {
    const one = to - from <= 1;
    const [works, ...waits] = report.means(process.series, process.waits.length + 1, from, to);
    const span = one ? `cycle ${report.number(from)}` : `cycles ${report.number(from)} to ${report.number(to)}`;
    const pairs = [[one ? "at" : "in", span], ["works", percent(works)]];
    waits.forEach((share, at) => {
      if (share >= 0.5) pairs.push([`waits ${percent(share)}`, WORDS[process.waits[at].kind](process.waits[at])]);
    });
    const part = report.design().critical.find(
      (each) => each.process === process.name && each.start_cycle < to && each.end_cycle > from);
    if (part) pairs.push(["critical", `here since ${part.cause}${part.of ? ` (${part.of})` : ""}`]);
    for (const [start, end] of process.frames.slice(0, 3)) {
      pairs.push(["runs", `${report.number(start)} to ${report.number(end)}: ${report.number(end - start)} cycles`]);
    }
    const most = [...process.waits].sort((a, b) => b.cycles - a.cycles)[0];
    if (most && most.cycles) {
      pairs.push(["in all", `waits most ${WORDS[most.kind](most)}: ${report.number(most.cycles)} cycles`]);
    }
    return pairs;
  };

  const check = report.html("input", {type: "checkbox", checked: true,
    change: () => report.set({critical: check.checked})});
  report.chart("run", {
    title: "Processes",
    height: 42,
    rows: (design) => design.processes,
    draw, over, tell,
    choose: (process) => report.set({node: process.nodes[0]}),
    isChosen: (process, state) => process.nodes.includes(state.node),
    keys: ["critical"],
    overview: (from, to) => {
      const shares = report.design().processes.map(
        (process) => report.means(process.series, process.waits.length + 1, from, to)[0]);
      return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length) / 100;
    },
    tools: [report.html("label", {}, check, " Critical path")],
    legend: [
      ["works", "works"], ["input", "waits for input"], ["room", "waits for room"],
      ["buffer", "waits for a buffer"], ["critical", "critical path"], ["reads", "reads FIFOs"],
      ["writes", "writes FIFOs"], ["form before", "closed form, to the first write"],
      ["form", "closed form, to the last"],
    ],
  });
}
