// A series of dumps: what stacks hold in each follows from the one before.  How functions grew, and how surely, is
// known of what the command was asked for alone, over all dumps of a process; slopes of other selections are
// lines by least squares.
function columnsOfDumps({ series: { dumps, changes }, ends }, column) {
  const known = new Map();
  const after = (dump) => changes.slice(0, dump).reduce(applyChanges, Uint32Array.from(ends.sums[0]));
  return dumps.name.map((_, i) => ({
    ...column, period: dumps.period[i], weight: dumps.weight[i], get sum() { return kept(known, i, () => after(i), 4); },
  }));
}

function applyChanges(sum, { stack, sum: sums }) {
  let end = 0;
  stack.forEach((step, i) => {
    end += step;
    sum[end] = sums[i];
  });
  return sum;
}

// Of the dumps of a process; `visit` gets the number of each in it, and the sums of stacks.
function eachDump({ columns, series }, { first, count }, visit) {
  const sum = columns[first].sum.slice();
  for (let i = 0; i < count; i++) {
    if (i > 0) {
      applyChanges(sum, series.changes[first + i - 1]);
    }
    visit(i, sum);
  }
}

class Growth {
  constructor(model) {
    Object.assign(this, { model, ...model.series });
    this.rows = this.processes.map(placesOf);
    this.last = ({ first, count }) => first + count - 1;
  }

  numberOf({ from }) { return this.processes.findIndex((process) => from >= process.first && from <= this.last(process)); }

  processOf(state) { return this.processes[this.numberOf(state)]; }

  // Of all dumps of a process.
  isWhole(state) {
    const process = this.processOf(state);
    return state.from === process.first && state.to === this.last(process);
  }

  isTold(state) { return this.isWhole(state) && isAsked(this.model, state); }

  // The ends that hold anything in any dump of the process.
  heldEnds(state) {
    const { model } = this, are = new Uint8Array(model.ends.length);
    eachDump(model, this.processOf(state), (_, sum) => { sum.forEach((one, end) => { are[end] |= one > 0; }); });
    return are;
  }

  // Of each name what it holds in each dump of the process, by flat or by cum.
  values(sums, kind, state, names, key) {
    const process = this.processOf(state), values = names.map(() => new Float64Array(process.count));
    const pairs = pairsOf(sums, new Map(names.map((name, i) => [name, i])), key), held = sums.column.values[kind];
    eachDump(this.model, process, (dump, sum) => {
      for (let i = 0; i < pairs.length; i += 2) {
        values[pairs[i + 1]][dump] += held[sum[pairs[i]]];
      }
    });
    return values;
  }

  // In the units of slopes.
  time(dump) { return this.dumps.time[dump] / (this.seconds || 1); }

  timeText(from, to) { return this.seconds > 0 ? `, ${+(this.time(to) - this.time(from)).toPrecision(3)} ${this.unit}s` : ''; }

  // Of the dumps that are chosen, of those of the process.
  slope(values, { from, to }, { first }) {
    const times = Array.from({ length: to - from + 1 }, (_, i) => this.time(from + i)), base = from - first;
    const mean = sumOf(times, (time) => time) / times.length, spread = sumOf(times, (time) => (time - mean) ** 2);
    return spread > 0 ? sumOf(times, (time, i) => (time - mean) / spread * (values[base + i] - values[base])) : 0;
  }

  // {slope, least, p, sampling, shape, isTold, isSignificant} of a name, or of all; NaN where nothing is known.
  tell(state, key, name, values) {
    const process = this.processOf(state), rows = process[key], i = this.isTold(state) ? this.rows[this.numberOf(state)][key].get(name) : undefined;
    const isTold = i !== undefined, told = (what) => (isTold ? known(rows[what][i]) : NaN);
    return { slope: isTold ? told('slope') : this.slope(values, state, process), least: told('least'), p: told('p'), sampling: told('sampling'), isTold,
      shape: isTold && process.told ? this.shapes[rows.shape[i]] : '-', isSignificant: told('significant') === 1 };
  }
}

// Stacks and the numbers of names that they count for, one behind the other.
function pairsOf({ tree, ends, leaf }, wanted, key) {
  const pairs = [];
  ends.forEach((end, i) => {
    for (let node = leaf[i]; node > 0; node = key === 'cum' ? tree.parent[node] : 0) {
      const number = key === 'flat' || (tree.isOuter[node] && node !== tree.cut) ? wanted.get(tree.name[node]) : undefined;
      if (number !== undefined) {
        pairs.push(end, number);
      }
    }
  });
  return pairs;
}

// --- texts --------------------------------------------------------------------------------------------

const LINE_LENGTH = 20;

// What a row holds over the dumps, as blocks: of many dumps some.
function lineText(values) {
  const length = min(values.length, LINE_LENGTH), most = values.reduce((a, b) => max(a, b), 0);
  return Array.from({ length }, (_, i) => values[floor(i * (values.length - 1) / max(length - 1, 1))])
    .map((value) => String.fromCharCode(0x2581 + (most > 0 ? max(0, min(floor(8 * value / most + 1e-9), 7)) : 0))).join('');
}

function rateText(rate, kind) {
  const text = valueText(abs(rate), kind);
  return isNaN(rate) ? '-' : /^0( B)?$/.test(text) ? text : `${rate < 0 ? '-' : '+'}${text}`;
}

function dumpName({ series }, dump) {
  const name = series.dumps.name[dump].replace(/.*\/(?=.)/, '');
  return `${dump + 1}: ${cutText(name, 60)}`;
}

// --- table --------------------------------------------------------------------------------------------

class GrowthTable extends ChangeTable {
  prepare() {
    super.prepare();
    const { explorer, state } = this, names = this.rows.slice(0, this.shown), values = explorer.values(state, names, comparedBy(state));
    this.values = new Map(names.map((name, i) => [name, values[i]]));
  }

  texts(name) {
    const { explorer, kind, model, state } = this, key = comparedBy(state), values = this.values.get(name);
    const row = explorer.row(state, name, true)[key], growth = explorer.growth.tell(state, key, name, values);
    return {
      row: { ...row, isTold: growth.isTold, isSignificant: growth.isSignificant }, share: abs(row.change) / this.most,
      first: heldText(row.before, kind), last: heldText(row.after, kind), slope: rateText(growth.slope, kind), least: rateText(growth.least, kind),
      p: markedP({ ...growth, p: model.series.processes[model.series.process].told ? growth.p : growth.sampling }), shape: growth.shape,
      line: lineText(values), process: explorer.growth.processOf(state).name,
    };
  }
}
