/* Points of cycles against DSPs on logarithmic axes, as wide as the page, whose labels keep apart.

   report.scatter(place, keys, picture): picture(state, design) returns
     x, y         words of the axes
     points       {x, y, label, title, kind, choose}: label is optional; choose() makes it a button
     work         x * y of the line of the bound, or 0
     limits       pairs of words and an x
     boxes        [least y, greatest y, least x, greatest x], where more points may lie
     steps        whether points are joined */
{
  const LEFT = 64, TOP = 12, RIGHT = 16, BOTTOM = 46, SHORT = 300, LETTER = 6.6, LINE = 15;

  const ticks = (low, high) => {
    const found = [], wide = high / low > 300;
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1; power++) {
      for (const by of wide ? [1] : [1, 2, 5]) {
        const value = by * 10 ** power;
        if (value >= low && value <= high) found.push(value);
      }
    }
    return found;
  };

  const scale = (low, high, from, to) => {
    const span = Math.log(high) - Math.log(low) || 1;
    return (value) => from + (Math.log(Math.max(value, low * 1e-6)) - Math.log(low)) / span * (to - from);
  };

  /* A place for a label that meets nothing that is taken, nor the border; null for none. */
  const room = (taken, px, py, wide, right, bottom) => {
    for (const [dx, dy] of [[8, -8], [8, 14], [-wide - 8, -8], [-wide - 8, 14], [-wide / 2, -14],
      [-wide / 2, 22], [12, -24], [12, 30], [-wide - 12, -24], [-wide - 12, 30]]) {
      const box = [px + dx, py + dy - LINE + 3, px + dx + wide, py + dy + 3];
      const inside = box[0] > LEFT && box[2] < right && box[1] > TOP && box[3] < bottom;
      const free = taken.every(([l, t, r, b]) => box[2] < l || box[0] > r || box[3] < t || box[1] > b);
      if (inside && free) return box;
    }
    return null;
  };

  const draw = (svg, found, width) => {
    const height = Math.max(SHORT, Math.min(440, width * 0.55));
    const xs = [...found.points.map((p) => p.x), ...found.limits.map(([, x]) => x)].map((x) => Math.max(1, x));
    const ys = found.points.map((p) => p.y);
    if (!ys.length) return;
    const [x0, x1] = [Math.min(...xs) / 1.6, Math.max(...xs) * 1.6];
    const bound = (x) => found.work / x;
    if (found.work) ys.push(...[x0, x1].map(bound).filter((y) => y > Math.min(...ys) / 30));
    const [y0, y1] = [Math.min(...ys) / 1.6, Math.max(...ys) * 1.6];
    const x = scale(x0, x1, LEFT, width - RIGHT), y = scale(y0, y1, height - BOTTOM, TOP);
    const right = width - RIGHT, bottom = height - BOTTOM;
    for (const [name, value] of Object.entries({width, height, viewBox: `0 0 ${width} ${height}`})) {
      svg.setAttribute(name, value);
    }
    const text = (px, py, words, how) => report.svg("text", {x: px.toFixed(1), y: py.toFixed(1), ...how}, words);
    const path = (kind, d) => report.svg("path", {class: kind, d});
    const parts = [], taken = [];
    let last = -Infinity;
    for (const value of ticks(x0, x1)) {
      parts.push(path("grid", `M${x(value)} ${TOP}V${bottom}`));
      const wide = report.number(value).length * LETTER;
      if (x(value) - wide / 2 > last + 8) {
        parts.push(text(x(value), bottom + 16, report.number(value), {class: "axis", "text-anchor": "middle"}));
        last = x(value) + wide / 2;
      }
    }
    last = Infinity;
    for (const value of ticks(y0, y1)) {
      parts.push(path("grid", `M${LEFT} ${y(value)}H${right}`));
      if (y(value) < last - LINE) {
        parts.push(text(LEFT - 6, y(value) + 4, report.number(value), {class: "axis", "text-anchor": "end"}));
        last = y(value);
      }
    }
    parts.push(text(right, height - 10, found.x, {class: "axis", "text-anchor": "end"}));
    for (const [low, high, least, most] of found.boxes || []) {
      const [left, top] = [x(Math.max(least, x0)), y(Math.min(high, y1))];
      parts.push(report.svg("rect", {class: "open", x: left, y: top,
        width: Math.max(2, x(most + 1) - left), height: Math.max(2, y(Math.max(low, y0)) - top)}));
    }
    if (found.work) {
      const ends = [Math.max(x0, found.work / y1), Math.min(x1, found.work / y0)];
      if (ends[0] < ends[1]) {
        parts.push(path("bound", `M${x(ends[0])} ${y(bound(ends[0]))}L${x(ends[1])} ${y(bound(ends[1]))}`));
      }
    }
    if (found.steps) {
      const sorted = [...found.points].sort((a, b) => a.x - b.x);
      parts.push(path("steps", sorted.map((p, at) =>
        at ? `H${x(p.x)}V${y(p.y)}` : `M${x(p.x)} ${y(p.y)}`).join("")));
    }
    for (const point of found.points) taken.push([x(point.x) - 5, y(point.y) - 5, x(point.x) + 5, y(point.y) + 5]);
    const lines = found.limits.map(([, at]) => [x(at) - 2, TOP, x(at) + 2, bottom]);
    if (found.work) {
      for (let px = LEFT; px < right; px += 8) {
        const py = y(bound(Math.exp(Math.log(x0) + (px - LEFT) / (right - LEFT) * Math.log(x1 / x0))));
        lines.push([px, py - 2, px + 8, py + 4]);
      }
    }
    /* Beside lines, or on one where it is crowded; no label lies on another one or on a point. */
    const label = (px, py, words, how) => {
      const wide = words.length * LETTER + 4;
      const box = room([...taken, ...lines], px, py, wide, right, bottom) || room(taken, px, py, wide, right, bottom);
      if (!box) return;
      taken.push(box);
      parts.push(text(box[0], box[3] - 3, words, how));
    };
    for (const [words, at] of found.limits) {
      parts.push(path("limit", `M${x(at)} ${TOP}V${bottom}`));
      label(x(at), bottom - 10, words, {});
    }
    const chosenLast = [...found.points].sort((a, b) => /chosen/.test(a.kind) - /chosen/.test(b.kind));
    for (const point of chosenLast) {
      const mark = report.svg("path", {
        class: `point ${point.kind || ""}${point.choose ? " choosable" : ""}`,
        d: shape(point.kind || "", x(Math.max(1, point.x)), y(point.y)),
        pointermove: (event) => report.tip(event.clientX, event.clientY, point.title, point.tell),
        pointerleave: () => report.untip(),
        click: point.choose,
      });
      parts.push(mark);
    }
    for (const point of [...chosenLast].reverse()) {
      if (point.label) label(x(Math.max(1, point.x)), y(point.y), point.label, {});
    }
    svg.replaceChildren(...parts);
  };

  const shape = (kind, px, py) => {
    const r = /chosen/.test(kind) ? 7 : 5;
    return /rival/.test(kind)
      ? `M${px - r} ${py - r}h${2 * r}v${2 * r}h${-2 * r}z`
      : `M${px - r} ${py}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  };

  report.scatter = (place, keys, picture) => {
    const svg = report.svg("svg", {"aria-hidden": "true"});
    const box = report.html("div", {class: "scatter"}, report.html("span", {class: "hint"}), svg);
    place.append(box);
    let width = 0;
    const redraw = () => {
      if (!width) return;
      const found = picture(report.state, report.design());
      box.firstElementChild.textContent = found.y;
      draw(svg, found, width);
    };
    new ResizeObserver(() => requestAnimationFrame(() => {
      if (!box.clientWidth || box.clientWidth === width) return;
      width = box.clientWidth;
      redraw();
    })).observe(box);
    report.subscribe(keys, redraw);
    addEventListener("beforeprint", () => { width = Math.min(width, 680); redraw(); });
  };
}
