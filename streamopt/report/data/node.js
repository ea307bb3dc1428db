/* The panel of the selected node: its source, its loops as scheduled and its C++, side by side. */
{
  const panel = document.getElementById("node");
  const choice = report.html("select", {
    "aria-label": "Node", change: () => report.set({node: choice.value}),
  });
  const facts = report.html("p", {class: "facts"});
  const panes = report.html("div", {class: "panes"});
  let opener = null;

  const close = () => {
    report.set({node: null});
    if (opener && opener.isConnected) opener.focus();
  };
  const listing = (title, lines, missing) => report.html("section", {},
    report.html("h3", {}, title),
    missing
      ? report.html("p", {}, missing)
      : report.html("pre", {tabindex: 0, "aria-label": title}, ...lines));

  const source = ({place, first_line, line, lines, missing}) => {
    const wide = String(first_line + lines.length).length;
    return listing(place ? `Source: ${place}` : "Source", lines.map((text, at) =>
      report.html("span", {class: first_line + at === line ? "own" : null},
        `${String(first_line + at).padStart(wide)}  ${text}\n`)), missing);
  };

  const show = (state, design) => {
    const node = design.nodes.find((each) => each.name === state.node);
    document.body.classList.toggle("with-node", Boolean(node));
    panel.hidden = !node;
    if (!node) return;
    choice.replaceChildren(...design.nodes.map((each) =>
      report.html("option", {value: each.name}, each.name)));
    choice.value = node.name;
    facts.textContent = node.facts;
    panes.classList.toggle("unknown", Boolean(node.source.missing));
    panes.replaceChildren(
      source(node.source),
      listing("Loops as scheduled", [node.loops]),
      listing("Emitted C++", [node.cpp], node.cpp_missing));
    report.say(`Node ${node.name}: ${node.facts}`);
  };

  if (panel && report.designs.length) {
    panel.append(
      report.html("div", {class: "head"}, report.html("h2", {}, "Node"), choice, facts,
        report.html("button", {type: "button", "aria-label": "Close the panel", click: close}, "Close")),
      panes);
    report.subscribe(["node", "design"], (state, design) => {
      if (panel.hidden) opener = document.activeElement;
      show(state, design);
    });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !panel.hidden) close();
    });
    /* Names of nodes in tables choose them, too. */
    document.addEventListener("click", (event) => {
      const name = event.target.closest ? event.target.closest("th[scope=row]") : null;
      const node = name && report.design().nodes.find((each) => each.name === name.textContent);
      if (node) report.set({node: node.name});
    });
  }
}
