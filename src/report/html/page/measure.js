// Intervals of sums, and what they stand on, as src/stats/measure.c and src/view/precision.c find them;
// schema/html.md has the formulas.  `sum` is {kind, column, bytes, variance, ...}: what it takes of a selection of
// that kind of metric; `period` and `weight` are the largest of it.

// In the words of the formulas, of bytes or objects.
function measureOf(sum) {
  const { column, kind } = sum, isSide = column.side !== 'all', isSeen = sum.samples > 0, period = isSeen ? sum.period : column.period;
  if (kind === 'bytes') {
    const { bytes: B, variance: V, observed: seen, hidden, excess } = sum;
    return { B, V, seen, k: period, hidden, excess, isKnown: true, hasLeast: true };
  }
  const { objects: B, objects_variance: V, samples: seen, weight, flags } = sum;
  const isKnown = flags === 0 && (isSide || isSeen || period === 0), k = isSide && !isSeen ? column.weight : weight;
  return { B, V, seen, k, hidden: 0, excess: 0, isKnown, hasLeast: isKnown || (!isSide && isSeen && !(flags & 4)) };
}

function quantile(B, V, p, above) {
  return V / B * gammaQuantile(B * B / V, p, above);
}

function lowEnd(m, alpha) {
  const lowest = max(m.B - m.excess, 0);
  return max(lowest > 0 && m.V > 0 ? quantile(lowest, m.V, alpha / 2, false) : lowest, m.seen);
}

function highEnd(m, alpha) {
  const highest = m.B + m.hidden, seen = max(min(m.seen, highest), 0);
  return m.V > 0 || m.k > 0 ? max(seen + quantile(highest - seen + m.k, m.V + m.k * m.k, alpha / 2, true), highest) : highest;
}

// {value, low, high, samples, isFew}; NaN where nothing is known.  `among`: it was chosen for its
// size among so many rows.
function estimateOf(model, sum, among = 1) {
  const m = measureOf(sum), { intervals } = sum.column;
  const out = { value: intervals ? m.B : NaN, low: NaN, high: NaN, samples: NaN, isFew: false };
  if (intervals !== 'sampled') {
    return intervals === 'exact' ? { ...out, low: m.B, high: m.B } : out;
  }
  const alpha = 1 - model.confidence;
  if (m.hasLeast) {
    const high = highEnd(m, alpha);
    out.low = min(lowEnd(m, alpha / (among * model.choices)), high);
    out.high = m.isKnown ? high : NaN;
  }
  if (m.isKnown && sum.samples > 0 && sum.period > 0) {
    // No more than were sampled, but where sizes are mixed (1) or objects not counted (4).
    const most = sum.flags & 5 ? Infinity : sum.samples;
    out.samples = m.V > 0 ? min(m.B * m.B / m.V, most) : most;
    // Effective ones.
    out.isFew = out.samples < 5;
  }
  return out;
}
