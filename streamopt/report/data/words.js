/* Words, figures, tables and Python's drawings of the design that is shown: the page has those of the first one
   as HTML. */
{
  const first = new Map();
  let shown = 0;
  const replaced = (element, children) => {
    if (!element) return;
    if (!first.has(element)) first.set(element, [...element.childNodes]);
    element.replaceChildren(...children);
  };

  const parsed = (text) => {
    const template = report.html("template");
    template.innerHTML = text;
    return [...template.content.childNodes];
  };

  const cells = (table, row) => row.map((cell, at) => at
    ? report.html("td", {class: table.is_numeric[at] ? "n" : null}, cell)
    : report.html("th", {scope: "row"}, cell));

  const table = (each) => report.html("details", {open: each.is_open},
    report.html("summary", {}, each.caption),
    report.html("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": `Table: ${each.caption}`},
      report.html("table", {}, report.html("caption", {}, each.caption),
        report.html("thead", {}, report.html("tr", {}, ...each.header.map((name, at) =>
          report.html("th", {scope: "col", class: each.is_numeric[at] ? "n" : null}, name)))),
        report.html("tbody", {}, ...each.rows.map((row) => report.html("tr", {}, ...cells(each, row)))))));

  const show = (page) => {
    replaced(document.querySelector("h1"), [page.title]);
    replaced(document.getElementById("verdict"), page.verdict.map((text) => report.html("p", {}, text)));
    replaced(document.getElementById("lead"), [page.lead]);
    replaced(document.getElementById("figures"), page.figures.map(([name, figure]) =>
      report.html("div", {}, report.html("dt", {}, name), report.html("dd", {}, figure))));
    for (const section of page.sections) {
      const place = document.getElementById(section.anchor);
      if (!place) continue;
      const words = section.words.map((text) => report.html("p", {}, text));
      replaced(place.querySelector(".words"), words);
      replaced(place.querySelector(".tables"), section.tables.map(table));
      replaced(place.querySelector("pre.listing"), [section.listing]);
      if (section.drawing) replaced(report.place(section.anchor), parsed(section.drawing.join("\n")));
    }
  };

  report.subscribe(["design"], (state, design) => {
    if (state.design === shown) return;
    shown = state.design;
    if (shown === 0) for (const [element, children] of first) element.replaceChildren(...children);
    else if (design.views.page) show(design.views.page);
  });
}
