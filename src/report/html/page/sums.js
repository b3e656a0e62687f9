// Sums of a selection of stacks: of each node of a tree with all below it, and of each name by itself (flat)
// and with all that it calls (cum), each stack once.  They are made key by key, when they are asked for.
const ADD = 0, LARGEST = 1, OR = 2;
const JOINS = { period: LARGEST, weight: LARGEST, flags: OR };

const joined = (how, a, b) => (how === ADD ? a + b : how === LARGEST ? (a > b ? a : b) : a | b);

// What an interval of each kind of metric takes.
const KEYS = {
  bytes: ['bytes', 'variance', 'observed', 'hidden', 'excess', 'samples', 'period', 'flags'],
  objects: ['objects', 'objects_variance', 'samples', 'period', 'weight', 'flags'],
};

function sumOf(all, of) { return all.reduce((sum, one, i) => sum + of(one, i), 0); }

// So many zeros, for as long as nobody else asks: fresh memory takes longer than the sums.
let scratch = new Float64Array(0);

function scratchOf(size) { return (scratch = size > scratch.length ? new Float64Array(size) : scratch.fill(0)); }

// Of a tree, a column and the stacks that are chosen: isChosen[end], or null for all.
class Sums {
  constructor(model, tree, number, isChosen, column = model.columns[number]) {
    Object.assign(this, { model, tree, isChosen, number, column, known: new Map() });
    this.ends = tree.leaf.map((_, end) => end).filter((end) => tree.leaf[end] >= 0 && (!isChosen || isChosen[end]));
    this.leaf = this.ends.map((end) => tree.leaf[end]);
    const { sum } = this.column;
    this.sum = this.ends.map((end) => sum[end]);
  }

  // What each place holds by itself, where at[i] is that of stack i of those that are chosen, in zeros.
  own(key, at, sums) {
    const { sum } = this, values = this.column.values[key], how = JOINS[key] || ADD;
    for (let i = 0; i < at.length; i++) {
      sums[at[i]] = joined(how, sums[at[i]], values[sum[i]]);
    }
    return sums;
  }

  ofKeys(kind, of) { return { ...fromKeys(KEYS[kind], of), kind, column: this.column }; }

  keep(what, make) { return kept(this.known, what, make); }

  nodes(key) { return this.keep(`nodes ${key}`, () => this.sumNodes(key, new Float64Array(this.tree.count))); }

  sumNodes(key, zeros) {
    const sums = this.own(key, this.leaf, zeros);
    return this.isAny(key) ? this.sumUp(sums, JOINS[key] || ADD) : sums;
  }

  // What each node holds by itself becomes what it holds with all below.
  sumUp(sums, how) {
    const { parent, count } = this.tree;
    for (let node = count - 1; node > 0; node--) {
      const up = parent[node];
      if (up >= 0) {
        sums[up] = joined(how, sums[up], sums[node]);
      }
    }
    return sums;
  }

  // Most dumps have no such thing as sizes that may hide others.
  isAny(key) { return this.column.values[key].some(Boolean); }

  flats(key) {
    const names = this.keep('names', () => this.leaf.map((node) => this.tree.name[node]));
    return this.keep(`flats ${key}`, () => this.own(key, names, new Float64Array(this.model.nameCount)));
  }

  cums(key) {
    return this.keep(`cums ${key}`, () => {
      const { count, isOuter, cut, name } = this.tree, how = JOINS[key] || ADD;
      const nodes = this.known.get(`nodes ${key}`) || this.sumNodes(key, scratchOf(count));
      const sums = new Float64Array(this.model.nameCount);
      for (let node = this.isAny(key) ? 1 : count; node < count; node++) {
        if (isOuter[node] && node !== cut) {
          sums[name[node]] = joined(how, sums[name[node]], nodes[node]);
        }
      }
      return sums;
    });
  }

  // What nodes hold; or with the sums of the base, of each the larger of both with those of all below.
  widths(key, base) {
    return !base ? this.nodes(key) : this.keep(`widths ${key} ${base.number}`, () => {
      const [before, after] = [base, this].map((one) => one.own(key, one.leaf, new Float64Array(this.tree.count)));
      return this.sumUp(after.map((value, node) => max(value, before[node])), ADD);
    });
  }

  // What an interval takes, at one place of flats, cums or nodes.
  pick(arrays, at, kind) { return this.ofKeys(kind, (key) => this[arrays](key)[at]); }

  // The same of all that is chosen.
  whole(kind) { return this.apart(kind, new Int32Array(this.model.ends.length), 1)(0); }

  // The same of each of so many parts, by its number; of[end] is that of an end.
  apart(kind, of, count) {
    const at = this.ends.map((end) => of[end]), all = this.ofKeys(kind, (key) => this.own(key, at, new Float64Array(count)));
    return (number) => this.ofKeys(kind, (key) => all[key][number]);
  }

  // The same of several nodes, none of which is below another.
  together(nodes, kind) {
    return this.ofKeys(kind, (key) => {
      const sums = this.nodes(key), how = JOINS[key] || ADD;
      return nodes.reduce((sum, node) => joined(how, sum, sums[node]), 0);
    });
  }

  // Of each name whether it is shown in a stack that holds anything.
  held(isHeld) {
    return this.keep('held', () => {
      const { parent, count, name } = this.tree, { leaf, ends } = this;
      const nodes = new Uint8Array(count), names = new Uint8Array(this.model.nameCount);
      ends.forEach((end, i) => { nodes[leaf[i]] |= isHeld[end]; });
      for (let node = count - 1; node > 0; node--) {
        nodes[parent[node]] |= nodes[node];
        names[name[node]] |= nodes[node];
      }
      if (this.tree.cut > 0) {
        names[name[this.tree.cut]] = 0;
      }
      return names;
    });
  }

  // The same of the names that stacks are charged to.
  heldFlat(isHeld) {
    const names = new Uint8Array(this.model.nameCount);
    this.ends.forEach((end, i) => { names[this.tree.name[this.leaf[i]]] |= isHeld[end]; });
    return names;
  }

  // Among how many rows those of a table were chosen for their size.
  among(sort) {
    if (!this.column.chosen || sort === 'name') {
      return 1;
    }
    const samples = sort === 'cum' ? this.cums('samples') : this.flats('samples');
    const count = (number) => samples.filter((one) => one === number).length, once = count(1);
    return samples.filter(Boolean).length + once * (once - 1) / (2 * (count(2) + 1));
  }
}

// --- rows ---------------------------------------------------------------------------------------------

// The names that hold anything in any metric, in the order of a table.
function sortedRows(sums, kind, sort, rows) {
  const flat = sums.flats(kind), cum = sums.cums(kind), [first, second] = sort === 'cum' ? [cum, flat] : [flat, cum];
  return sort === 'name' ? rows : rows.sort((a, b) => first[b] - first[a] || second[b] - second[a] || a - b);
}

// The ends that hold anything, in whatever metric.
function heldEnds({ columns, ends }) {
  const are = new Uint8Array(ends.length);
  for (const { sum, values: { bytes, objects } } of columns) {
    const isAny = bytes.map((one, i) => one !== 0 || objects[i] !== 0);
    sum.forEach((one, end) => { are[end] |= isAny[one]; });
  }
  return are;
}

// --- callers and callees ----------------------------------------------------------------------------

// The nodes where `name` calls or is called by others: {callers, callees}, each a Map from the other name to
// nodes none of which is below another with the same call.
function neighborNodes(tree, name) {
  const callers = new Map(), callees = new Map();
  for (let node = 1; node < tree.count; node++) {
    const own = tree.name[node], up = tree.parent[node], caller = tree.name[up];
    if (up > 0 && own !== caller && (own === name || caller === name) && !hasAbove(tree, node)) {
      const [map, other] = own === name ? [callers, caller] : [callees, own];
      kept(map, other, () => []).push(node);
    }
  }
  return { callers, callees };
}

// Whether the call of a node by its parent is made above, too.
function hasAbove(tree, node) {
  const { isOuter, name, parent } = tree;
  for (let at = isOuter[node] ? 0 : parent[node]; at > 0; at = parent[at]) {
    if (name[at] === name[node] && name[parent[at]] === name[parent[node]]) {
      return true;
    }
  }
  return false;
}
