// Comparisons: what base and new hold follows from the data as all else does; how surely a row or a box of the
// flame graph changed is known of what the command was asked for alone: of its metric, in its view, without
// filters of the page.
//
// A change is {before, after, change, low, high, p, isTold, isSignificant, sides}; before and after are estimates,
// sides their names: base and new, or of a difference of two profiles shrank and grew.
const untested = ({ comparison: { sides } }) => ({ low: NaN, high: NaN, p: NaN, isTold: false, isSignificant: false, sides });

const hasNoBase = (sides) => sides?.[0] === 'shrank';

const known = (number) => number ?? NaN;

function changeOf(model, base, sum) {
  const flags = base.flags | sum.flags, largest = (key) => max(base.column[key], sum.column[key]);
  const [before, after] = [base, sum].map(({ column, ...one }) => estimateOf(model, { ...one, flags,
    column: column.side === 'dump' ? { ...column, period: largest('period'), weight: largest('weight') } : column }));
  return { ...untested(model), before, after, value: after.value, change: after.value - before.value };
}

// By flat and by cum, of each name where it stands.
function placesOf(all) {
  return fromKeys(HELD, (key) => new Map(all[key].name.map((name, i) => [name, i])));
}

function isAsked(model, { view, metric, only, without }) {
  return view === model.view && metric === model.metric && only.length + without.length === 0;
}

class Comparison {
  constructor(model, growth) {
    Object.assign(this, { model, growth, rows: placesOf(model.comparison) });
  }

  // Whether what is looked at is what the command was asked for.
  isTold(state) {
    const { growth, model } = this;
    return growth ? growth.isTold(state) && growth.numberOf(state) === model.series.process : isAsked(model, state);
  }

  tell(change, all, i) {
    const [low, high, p] = ['low', 'high', 'p'].map((key) => (i === undefined ? NaN : known(all[key][i])));
    return Object.assign(change, { low, high, p, isTold: true, isSignificant: i !== undefined && all.significant[i] === 1 });
  }

  tellTotal(change) {
    const { delta: { low, high }, p } = this.model.comparison.total;
    return this.tell(change, { low: [low], high: [high], p: [p], significant: [Number(known(p) < 1 - this.model.confidence)] }, 0);
  }

  tellRow(state, change, key, name) {
    return this.isTold(state) ? this.tell(change, this.model.comparison[key], this.rows[key].get(name)) : change;
  }

  // Of each node of the command's tree the number of its box.
  boxesOf(tree) {
    if (!tree.boxes) {
      const { parent, name } = this.model.comparison.boxes, nodes = [], { first, next } = linkChildren(tree);
      tree.boxes = new Map();
      name.forEach((one, i) => {
        let node = parent[i] < 0 ? first[0] : nodes[parent[i]] ? first[nodes[parent[i]]] : 0;
        while (node && tree.name[node] !== one) {
          node = next[node];
        }
        nodes.push(node);
        tree.boxes.set(node, i);
      });
    }
    return tree.boxes;
  }

  tellBox(change, tree, node) {
    return node === 0 ? this.tellTotal(change) : this.tell(change, this.model.comparison.boxes, this.boxesOf(tree).get(node));
  }
}

const comparedBy = ({ sort }) => (sort === 'cum' ? 'cum' : 'flat');

// Of each name, what it holds on both sides.
function sidesOf(explorer, state) { return explorer.both(state).map((sums) => sums[`${comparedBy(state)}s`](explorer.kind(state))); }

// Names in the order of a table: what changed significantly first, then by how much, then the largest.
function sortedChanges(explorer, state, names) {
  const { comparison, growth } = explorer, key = comparedBy(state), [base, sums] = sidesOf(explorer, state);
  const isWhole = growth?.isWhole(state), isTold = (growth || comparison).isTold(state);
  const [rows, { significant }] = growth ? [growth.rows[growth.numberOf(state)][key], growth.processOf(state)[key]]
    : [comparison.rows[key], explorer.model.comparison[key]];
  const isSure = (name) => (isTold && significant[rows.get(name)] ? 1 : 0);
  const ever = isWhole && (key === 'cum' ? null : explorer.of(state).heldFlat(explorer.heldEnds(state)));
  const all = names.map((name) => ({ name, sure: isSure(name), size: abs(sums[name] - base[name]), large: max(sums[name], base[name]) }))
    .filter(({ large, name }) => large > 0 || state.search || (isWhole && (!ever || ever[name])));
  const order = (a, b) => b.sure - a.sure || b.size - a.size || (!isWhole && b.large - a.large) || a.name - b.name;
  return (state.sort === 'name' ? all : all.sort(order)).map(({ name }) => name);
}

// --- texts --------------------------------------------------------------------------------------------

function signedText(value, kind) { return isNaN(value) ? '?' : (value < 0 ? '-' : value > 0 ? '+' : '') + valueText(abs(value), kind); }

// An end that too few processes leave open is "?"; without a p there was no test, and no end.
function rangeText({ low, high, p }, kind) {
  return isNaN(low) && isNaN(high) ? (isNaN(p) ? '' : '?') : `${signedText(low, kind)} \u2026 ${signedText(high, kind)}`;
}

const pText = (p) => (isNaN(p) ? '-' : p < 0.0001 ? '<0.0001' : p.toFixed(4));

// With a mark that does without colour.
const markedP = ({ p, isSignificant }) => pText(p) + (isSignificant ? ' *' : '');

const heldText = ({ value }, kind) => (value === 0 ? '-' : valueText(value, kind));

function sureText({ p, isSignificant }) {
  return isNaN(p) ? '' : `, p ${pText(p)}${isSignificant ? ', significant' : ''}`;
}

function statusOf({ before: { value: before }, after: { value: after }, p, isSignificant, sides }) {
  return before === after ? 'same' : hasNoBase(sides) ? sides[Number(after > before)] : before === 0 ? 'new' : after === 0 ? 'gone'
    : isSignificant ? (after > before ? 'grew' : 'shrank') : isNaN(p) ? 'untested' : 'unsure';
}

// "61.3 MiB \u2192 70.8 MiB", or "20.5 MiB that shrank, 5.0 MiB that grew".
function sidesText(values, kind, sides) {
  const texts = values.map((value) => valueText(value, kind));
  return hasNoBase(sides) ? texts.map((text, i) => `${text} that ${sides[i]}`).join(', ') : texts.join(' \u2192 ');
}

// Of a value, or of a change.
function amountText(amount, kind) {
  if (!amount.before) {
    return Object.values(estimateText(amount, kind)).filter(Boolean).join(' ');
  }
  const range = rangeText(amount, kind), { before, after, change, sides } = amount;
  return `${sidesText([before.value, after.value], kind, sides)}: ${signedText(change, kind)}` +
    (range && ` (${range})`) + sureText(amount);
}

// The title of a column of amountTexts().
const titleOf = ({ comparison }, key) => comparison?.sides[['base', 'new'].indexOf(key)] || key;

// As cells of a row; `whole` is what the share is of.
function amountTexts(amount, kind, whole) {
  const { before, after, change, value } = amount;
  return before ? { base: valueText(before.value, kind), new: valueText(after.value, kind), change: signedText(change, kind), p: markedP(amount) }
    : { ...estimateText(amount, kind), share: shareText(value, whole) };
}

// --- table --------------------------------------------------------------------------------------------

class ChangeTable extends FunctionTable {
  prepare() {
    const [base, sums] = sidesOf(this.explorer, this.state);
    this.most = this.rows.reduce((most, name) => max(most, abs(sums[name] - base[name])), 0);
  }

  isSortedBy(key) { return (key === 'name') === (this.state.sort === 'name'); }

  texts(name) {
    const { kind, state } = this, change = this.explorer.row(state, name, true)[comparedBy(state)], { before, after } = change;
    return {
      row: change, share: abs(change.change) / this.most, base: heldText(before, kind), new: heldText(after, kind),
      delta: signedText(change.change, kind), 'delta-interval': rangeText(change, kind),
      p: markedP(change), status: statusOf(change),
    };
  }
}

// "more", "less-sure", "maybe": how a change looks.
function lookOf({ change, p, isSignificant }) {
  return change === 0 ? 'same' : p >= 0 && !isSignificant ? 'maybe' : `${change > 0 ? 'more' : 'less'}${isSignificant ? '-sure' : ''}`;
}
