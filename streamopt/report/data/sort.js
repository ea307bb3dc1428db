/* Tables whose rows can be sorted: a column's name is a button that sorts by it, and again the other way. */
{
  const value = (cell) => {
    const text = cell.textContent.trim();
    const number = parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const less = (a, b) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : a.localeCompare(b);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((head, at) => {
      const button = report.html("button", {type: "button", click: () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].sort((one, other) =>
          less(value(one.cells[at]), value(other.cells[at])) * (down ? -1 : 1));
        body.append(...rows);
      }}, head.textContent);
      head.replaceChildren(button);
    });
  }
}
