/* The address of what is seen: report.html#node=gemm1&from=1200&to=4000 opens there, and can be sent on. */
{
  const KEYS = {
    design: "design", node: "node", channel: "channel", from: "from_cycle", to: "to_cycle",
    cursor: "cursor_cycle",
  };
  const NAMES = ["node", "channel"];

  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const index = Number(asked.get("design") ?? report.state.design);
    if (report.designs[index]) report.set({design: index});
    const changes = {};
    for (const [word, key] of Object.entries(KEYS)) {
      const text = asked.get(word);
      if (text === null || word === "design") continue;
      if (NAMES.includes(key)) changes[key] = text;
      else if (Number.isFinite(Number(text))) changes[key] = Math.round(Number(text));
    }
    const {from_cycle, to_cycle} = {...report.state, ...changes};
    report.set({...changes, from_cycle: report.state.from_cycle, to_cycle: report.state.to_cycle});
    report.axis.show(from_cycle, to_cycle);
  };

  let waiting = null;
  const write = () => {
    waiting = null;
    const {design, node, channel, from_cycle, to_cycle} = report.state;
    const said = new URLSearchParams();
    if (design) said.set("design", design);
    if (node) said.set("node", node);
    if (channel) said.set("channel", channel);
    if (!report.axis.isWhole()) {
      said.set("from", from_cycle);
      said.set("to", to_cycle);
    }
    if (!String(said) && !location.hash.includes("=")) return;
    try {
      history.replaceState(null, "", String(said) ? `#${said}` : "#report");
    } catch { /* a page inside of another has no address of its own */ }
  };

  if (report.designs.length) {
    if (location.hash.includes("=")) read();
    addEventListener("hashchange", () => { if (location.hash.includes("=")) read(); });
    report.subscribe(["design", "node", "channel", "from_cycle", "to_cycle"], () => {
      waiting = waiting ?? setTimeout(write, 300);
    });
  }
}
