/* The dataflow graph, which Python draws: nodes to choose, and the wires of one to see. */
{
  const near = (svg, name) => {
    svg.classList.toggle("singled", name !== null);
    for (const each of svg.querySelectorAll(".near")) each.classList.remove("near");
    if (name === null) return;
    const touched = new Set([name]), arrays = new Set();
    for (const wire of svg.querySelectorAll(".wire")) {
      const {from, to, array} = wire.dataset;
      if (from !== name && to !== name) continue;
      wire.classList.add("near");
      for (const end of [from, to]) if (end) touched.add(end);
      if (array) arrays.add(array);
    }
    for (const box of svg.querySelectorAll(".box")) {
      const {node, array} = box.dataset;
      box.classList.toggle("near", touched.has(node) || arrays.has(array));
    }
  };

  const marked = (svg, state) => {
    for (const box of svg.querySelectorAll("[data-node]")) {
      const chosen = box.dataset.node === state.node;
      box.classList.toggle("chosen", chosen);
      box.setAttribute("aria-pressed", chosen);
    }
  };

  const toolbar = (place) => {
    const fit = report.html("button", {type: "button", "aria-pressed": "false", click: () => {
      const fitted = place.querySelector("svg").classList.toggle("fitted");
      fit.setAttribute("aria-pressed", fitted);
      place.dataset.fitted = fitted ? "true" : "";
    }}, "Fit to width");
    place.before(report.html("div", {class: "bar graph-bar"}, fit,
      report.html("span", {class: "hint"}, "Choose a node for its source, loops and C++.")));
  };

  const alive = (place) => {
    const svg = place.querySelector("svg");
    svg.classList.toggle("fitted", Boolean(place.dataset.fitted));
    for (const box of svg.querySelectorAll("[data-node]")) {
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "button");
    }
    near(svg, null);
    marked(svg, report.state);
  };

  const place = report.place("dataflow");
  if (place && place.querySelector("svg")) {
    toolbar(place);
    report.subscribe(["design"], () => alive(place));
    const nodeAt = (event) => {
      const box = event.target.closest("[data-node]");
      return box ? box.dataset.node : null;
    };
    const svg = () => place.querySelector("svg");
    place.addEventListener("click", (event) => {
      const name = nodeAt(event);
      if (name !== null) report.set({node: name});
    });
    place.addEventListener("keydown", (event) => {
      const name = nodeAt(event);
      if (name === null || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      report.set({node: name});
    });
    for (const kind of ["pointerover", "focusin"]) {
      place.addEventListener(kind, (event) => near(svg(), nodeAt(event)));
    }
    for (const kind of ["pointerleave", "focusout"]) place.addEventListener(kind, () => near(svg(), null));
    report.subscribe(["node"], (state) => marked(svg(), state));
  }
}
