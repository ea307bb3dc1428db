/* Values over time: run lengths of the document as borders and sums, and the mean or greatest in a span. */
{
  const read = new WeakMap();

  /* Returns {borders, values, sums}: of each value its number in every run, and its sum up to each border. */
  const decoded = (series, count) => {
    if (read.has(series)) return read.get(series);
    const runs = series.runs.length / (count + 1);
    const borders = new Float64Array(runs + 1);
    const values = [], sums = [];
    for (let value = 0; value < count; value++) {
      values.push(new Float64Array(runs));
      sums.push(new Float64Array(runs + 1));
    }
    for (let run = 0; run < runs; run++) {
      const cycles = series.runs[run * (count + 1)] * series.span_cycles;
      borders[run + 1] = borders[run] + cycles;
      for (let value = 0; value < count; value++) {
        values[value][run] = series.runs[run * (count + 1) + 1 + value];
        sums[value][run + 1] = sums[value][run] + cycles * values[value][run];
      }
    }
    const found = {borders, values, sums};
    read.set(series, found);
    return found;
  };

  /* Returns the run that holds a cycle. */
  const runAt = (borders, cycle) => {
    let low = 0, high = borders.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (borders[middle] <= cycle) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  };

  const sumTo = (found, value, cycle) => {
    const run = runAt(found.borders, cycle);
    const inside = Math.min(cycle, found.borders[run + 1]) - found.borders[run];
    return found.sums[value][run] + inside * found.values[value][run];
  };

  /* Returns the mean of each of some values from one cycle to another. */
  report.means = (series, count, from, to) => {
    const found = decoded(series, count);
    const means = [];
    for (let value = 0; value < count; value++) {
      means.push((sumTo(found, value, to) - sumTo(found, value, from)) / Math.max(1e-9, to - from));
    }
    return means;
  };

  /* Returns the greatest value from one cycle to another. */
  report.greatest = (series, from, to) => {
    const {borders, values} = decoded(series, 1);
    let most = 0;
    for (let run = runAt(borders, from); run < borders.length - 1 && borders[run] < to; run++) {
      most = Math.max(most, values[0][run]);
    }
    return most;
  };
}
