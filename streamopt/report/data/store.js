/* The store of a report, and how its modules use it.

   The page holds one JSON document, {"designs": [...]}, whose members are those of DesignView in
   streamopt/report/design_document.py. A module draws report.design() into its place and subscribes to
   the keys of the state that it shows:

     report.subscribe(["design"], (state, design) => ...)    at once, and whenever one of the keys changes
     report.set({node: "gemm1"})                             changes the state; equal values change nothing

   design        index of the design that everything shows; a slider sets it
   node          name of the selected node, or null
   channel       name of the selected FIFO or buffer, or null
   from_cycle    first cycle of the axis that Gantt and occupancy share
   to_cycle      its end
   cursor_cycle  cycle under the pointer, or null
   critical      whether the critical path is drawn

   Elements are made by report.html and report.svg, which take text as text: names can hold anything.
   report.place("dataflow") is the element that a section leaves for its drawing, or null. All scripts of
   the page are one strict script; a module is one block, and shares nothing but what it adds to report. */
"use strict";
const report = {};
{
  /* Several designs share what is equal: {"=": n} is part n; see streamopt/report/views/sharing.py. */
  const unshared = ({parts, whole}) => {
    const resolved = (value) => {
      if (value === null || typeof value !== "object") return value;
      if ("=" in value) return parts[value["="]];
      for (const key of Object.keys(value)) value[key] = resolved(value[key]);
      return value;
    };
    parts.forEach((part, at) => { parts[at] = resolved(part); });
    return resolved(whole);
  };
  const given = JSON.parse(document.getElementById("document").textContent);
  const values = given.parts ? unshared(given) : given;
  const designs = values.designs;
  const total = (index) => (designs[index] ? designs[index].total_cycles : 0);
  const state = {
    design: 0, node: null, channel: null, from_cycle: 0, to_cycle: total(0), cursor_cycle: null,
    critical: true,
  };
  const listeners = [];

  const made = (space, tag, attributes, children) => {
    const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(name, value === true ? "" : value);
      }
    }
    element.append(...children);
    return element;
  };

  report.designs = designs;
  report.values = values;
  report.state = state;
  report.design = () => designs[state.design];
  report.html = (tag, attributes, ...children) => made(null, tag, attributes, children);
  report.svg = (tag, attributes, ...children) =>
    made("http://www.w3.org/2000/svg", tag, attributes, children);
  report.place = (anchor) => document.querySelector(`[data-view="${anchor}"]`);
  report.number = (value) => Math.round(value).toLocaleString("en-US");
  /* A legend of pairs of a class and words. */
  report.legend = (pairs) => report.html("ul", {class: "legend"},
    ...pairs.map(([kind, words]) => report.html("li", {}, report.html("i", {class: kind}), words)));

  report.subscribe = (keys, changed) => {
    listeners.push({keys, changed});
    if (designs.length) changed(state, report.design());
  };
  report.set = (changes) => {
    const wanted = {...changes};
    if ("design" in wanted && wanted.design !== state.design) {
      const kept = designs[wanted.design].nodes.some((node) => node.name === state.node);
      Object.assign(wanted, {
        from_cycle: 0, to_cycle: total(wanted.design), cursor_cycle: null, channel: null,
        node: kept ? state.node : null,
      });
    }
    const keys = Object.keys(wanted).filter((key) => !Object.is(state[key], wanted[key]));
    Object.assign(state, wanted);
    for (const listener of listeners) {
      if (listener.keys.some((key) => keys.includes(key))) listener.changed(state, report.design());
    }
  };

  /* Words for people who don't see what changed. */
  report.say = (words) => {
    const said = document.getElementById("said");
    if (said.textContent !== words) said.textContent = words;
  };
}
