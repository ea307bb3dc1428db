/* The cycle axis that all charts share: which cycles are seen, ticks, and how keys and wheels move it. */
{
  const LEAST_CYCLES = 8, LEAST_TICK_PX = 96;

  const show = (from, to) => {
    const total = report.design().total_cycles;
    const length = Math.min(total, Math.max(LEAST_CYCLES, Math.round(to - from)));
    const start = Math.round(Math.min(Math.max(0, from), total - length));
    report.set({from_cycle: start, to_cycle: start + length});
  };
  const axis = {
    show,
    length: () => report.state.to_cycle - report.state.from_cycle,
    isWhole: () => axis.length() >= report.design().total_cycles,
    /* Zooms by a factor, so that a cycle stays where it is. */
    zoom: (factor, at) => {
      const {from_cycle, to_cycle} = report.state;
      const kept = at ?? (from_cycle + to_cycle) / 2;
      show(kept - (kept - from_cycle) * factor, kept + (to_cycle - kept) * factor);
    },
    /* Moves by a share of what is seen. */
    move: (share) => {
      const {from_cycle, to_cycle} = report.state, by = share * axis.length();
      show(from_cycle + by, to_cycle + by);
    },
    reset: () => show(0, report.design().total_cycles),
    words: () => {
      const {from_cycle, to_cycle} = report.state;
      const part = `cycles ${report.number(from_cycle)} to ${report.number(to_cycle)}`;
      return axis.isWhole() ? part : `${part} of ${report.number(report.design().total_cycles)}`;
    },
    /* Returns round cycles within what is seen. */
    ticks: (px) => {
      const {from_cycle, to_cycle} = report.state;
      const least = axis.length() / Math.max(1, Math.floor(px / LEAST_TICK_PX));
      const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
      const step = Math.max(1, [1, 2, 5, 10].map((by) => by * power).find((by) => by >= least));
      const found = [];
      for (let at = Math.ceil(from_cycle / step) * step; at <= to_cycle; at += step) found.push(at);
      return found;
    },
    /* Does what a key asks of the axis; returns whether it did. */
    key: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      const cursor = report.state.cursor_cycle ?? (report.state.from_cycle + report.state.to_cycle) / 2;
      const sideways = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (sideways && event.shiftKey) {
        const by = sideways * Math.max(1, axis.length() / 100);
        const at = Math.min(Math.max(cursor + by, report.state.from_cycle), report.state.to_cycle - 1);
        report.set({cursor_cycle: Math.round(at)});
      } else if (sideways) axis.move(sideways / 8);
      else if (event.key === "+" || event.key === "=") axis.zoom(1 / 2, report.state.cursor_cycle);
      else if (event.key === "-") axis.zoom(2, report.state.cursor_cycle);
      else if (event.key === "0") axis.reset();
      else return false;
      return true;
    },
  };
  report.axis = axis;
}
