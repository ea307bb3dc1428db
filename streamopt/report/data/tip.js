/* The words beside the pointer, or beside what has the focus: a title, and pairs of a term and words. */
{
  const tip = report.html("div", {id: "tip", role: "tooltip", hidden: true});
  document.body.append(tip);

  report.tip = (x, y, title, pairs) => {
    const terms = pairs.flatMap(([term, words]) => [
      report.html("dt", {}, term), report.html("dd", {}, words),
    ]);
    tip.replaceChildren(report.html("b", {}, title), report.html("dl", {}, ...terms));
    tip.hidden = false;
    const wide = document.documentElement.clientWidth;
    const box = tip.getBoundingClientRect();
    const left = x + 16 + box.width > wide ? x - 16 - box.width : x + 16;
    const top = y + 16 + box.height > innerHeight ? y - 16 - box.height : y + 16;
    tip.style.left = `${Math.max(4, Math.min(left, wide - box.width - 4))}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  };
  report.untip = () => { tip.hidden = true; };
  addEventListener("keydown", (event) => { if (event.key === "Escape") report.untip(); });
  addEventListener("scroll", report.untip, {passive: true});
}
