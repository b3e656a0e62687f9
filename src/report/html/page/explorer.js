// What the screens show of a state: trees and sums, the last of which are kept.
const HELD = ['flat', 'cum'];

class Explorer {
  constructor(model) {
    this.model = model;
    this.search = new SearchIndex(model);
    this.growth = model.series && new Growth(model);
    this.comparison = model.comparison && new Comparison(model, this.growth);
    this.known = new Map();
  }

  keep(what, make) { return kept(this.known, JSON.stringify(what), make, 16); }

  kind({ metric }) { return this.model.metrics[metric].kind; }

  // A function that one asks for is shown although it is folded.
  pick({ view, name }) {
    const { frames, views } = this.model;
    return name >= 0 && frames.name.some((one, i) => one === name && (views[view] >> frames.class[i] & 1)) ? name : -1;
  }

  tree(state) {
    const pick = this.pick(state);
    return this.keep(['tree', state.view, pick], () => foldTree(this.model, this.model.views[state.view], pick));
  }

  // Which stacks are left; null: all.
  ends(state) {
    const { view, only, without } = state;
    return this.keep(['ends', view, only, without], () => leftEnds(this, state));
  }

  // The numbers of the columns that are looked at: of all, or of base and new.
  sides({ metric, from, to }) {
    const { base, column } = this.model.metrics[metric];
    return this.growth ? [from, to] : [base, column].filter((one) => one >= 0);
  }

  // Of a column; the last of those, if none is named.
  of(state, column = this.sides(state).pop()) {
    const { view, only, without } = state;
    return this.keep(['sums', view, this.pick(state), column, only, without],
      () => new Sums(this.model, this.tree(state), column, this.ends(state), leftColumn(this.model, column, state)));
  }

  // Of what is new, behind that of the base if there is one.
  both(state) { return this.sides(state).map((one) => this.of(state, one)); }

  // The estimate, or the change, of what `pick` finds in sums.
  amount(state, pick) { return this.amountOf(this.both(state).map(pick)); }

  amountOf([first, second]) { return second ? changeOf(this.model, first, second) : estimateOf(this.model, first); }

  total(state) { return this.amount(state, (sums) => sums.whole(this.kind(state))); }

  rows(state) {
    const held = this.of(state).held(this.heldEnds(state)), names = [...held.keys()].filter((name) => held[name]);
    return this.comparison ? sortedChanges(this, state, names) : sortedRows(this.of(state), this.kind(state), state.sort, names);
  }

  heldEnds(state) {
    const { growth, model } = this;
    return this.keep(['held', growth?.numberOf(state)], () => (growth ? growth.heldEnds(state) : heldEnds(model)));
  }

  // Of names of a series what they hold in each dump.
  values(state, names, key) { return this.growth.values(this.of(state), this.kind(state), state, names, key); }

  foundRows(state) {
    const found = state.search && this.search.search(state.search).names, all = this.rows(state);
    return found ? all.filter((name) => found[name]) : all;
  }

  // {flat, cum} of a name.  As a row of the table it is one of those that were chosen for their size.
  row(state, name, isRow) {
    const sums = this.of(state), kind = this.kind(state), { comparison } = this;
    if (comparison) {
      return fromKeys(HELD, (key) => comparison.tellRow(state, this.amount(state, (one) => one.pick(`${key}s`, name, kind)), key, name));
    }
    const among = isRow ? sums.keep(`among ${state.sort}`, () => sums.among(state.sort)) : 1;
    const same = Math.fround(sums.flats(kind)[name]) === Math.fround(sums.cums(kind)[name]);
    return fromKeys(HELD, (key) => estimateOf(this.model, sums.pick(`${key}s`, name, kind),
      same || key === comparedBy(state) ? among : 1));
  }

  // The metric of the objects, or of the bytes, of the same column; -1: there is none.
  sibling(state, kind) {
    const { metrics } = this.model, { column } = metrics[state.metric];
    return metrics.findIndex((metric) => metric.column === column && metric.kind === kind);
  }

  // {callers, callees} of the function of a state, largest first: {name, nodes, value}.
  neighbors(state) {
    const values = this.widths(state);
    const list = (map) => [...map].map(([name, nodes]) => ({
      name, nodes, value: sumOf(nodes, (node) => values[node]),
    })).filter((one) => one.value !== 0).sort((a, b) => b.value - a.value || a.name - b.name);
    const { callers, callees } = neighborNodes(this.tree(state), state.name);
    return { callers: list(callers), callees: list(callees) };
  }

  // Of each node of the tree.
  widths(state) { return this.of(state).widths(this.kind(state), this.both(state)[1] && this.both(state)[0]); }

  // A flame graph: its tree, how wide the nodes are, and what they hold on both sides.
  flames(state) {
    const kind = this.kind(state), { tree } = this.of(state), sums = [this.widths(state), ...this.both(state).map((one) => one.nodes(kind))];
    return state.name < 0 ? { tree, sums, root: 0 }
      : this.keep(['below', state.view, state.name, state.metric, this.sides(state), state.only, state.without], () => treeBelow(tree, sums, state.name));
  }

  neighbor(state, { nodes }) { return this.amount(state, (sums) => sums.together(nodes, this.kind(state))); }

  // What stacks hold that have a frame that is searched for.
  found(state) { return this.amountOf(this.seen({ ...state, name: -1 }).map((sums) => sums.whole(this.kind(state)))); }

  // As both(), of the stacks that have what is searched for, and the function of a state.
  seen(state) {
    const { search, model } = this, are = [this.ends(state), state.search && search.stacksOf(search.search(state.search).own), state.name >= 0 && search.named((name) => name === state.name)].filter(Boolean);
    const seen = model.ends.map((_, end) => are.every((stacks) => stacks[end]));
    return this.both(state).map(({ tree, number, column }) => new Sums(model, tree, number, seen, column));
  }

  // Where a function is: its frames with what they hold with all below, each stack once.
  places(state) {
    const { frames, parent, frame } = this.model, sums = this.rawSums(state), places = new Map();
    for (let node = 0; node < frame.length; node++) {
      const f = frame[node];
      let above = frames.name[f] === state.name && sums[node] > 0 ? parent[node] : node;
      while (above >= 0 && frame[above] !== f) {
        above = parent[above];
      }
      if (above < 0) {
        const key = ['file', 'line', 'module', 'inlined'].map((of) => frames[of][f]).join();
        kept(places, key, () => ({ frame: f, value: 0 })).value += sums[node];
      }
    }
    return [...places.values()].sort((a, b) => b.value - a.value || a.frame - b.frame).slice(0, 10);
  }

  // Of the tree of all frames how wide each node is.
  rawSums(state) {
    const { parent, ends, frame } = this.model, tree = { parent, leaf: ends, count: frame.length }, kind = this.kind(state);
    return this.of(state).keep(`raw ${kind} ${this.sides(state)}`, () => {
      const all = this.both(state).map(({ number }) => new Sums(this.model, tree, number, this.ends(state)));
      return all.pop().widths(kind, all[0]);
    });
  }

  // What stacks hold by the names of the folded frames that stand between one of `nodes` and its caller, or behind a function
  // that ends them, without the allocator's: a tree of Maps from a name to {values, below}, of a column each; name -1 stands for none.
  folded(state, nodes = [-1]) {
    const { model } = this, tree = this.tree(state), kind = this.kind(state), root = new Map(), wanted = new Set(nodes), { isChosen } = this.of(state);
    const both = this.both(state).map(({ column: { sum, values } }) => (end) => values[kind][sum[end]]);
    tree.leaf.forEach((leaf, end) => {
      if (leaf < 0 || (isChosen && !isChosen[end]) || (nodes[0] < 0 && tree.name[leaf] !== state.name)) {
        return;
      }
      eachShown(model, tree, end, (node, way) => {
        const names = way.filter((name) => model.classOf[name] !== 'allocator');
        (wanted.has(node) ? names.length > 0 ? names : [-1] : []).reduce((map, name) => {
          const at = kept(map, name, () => ({ values: both.map(() => 0), below: new Map() }));
          at.values = at.values.map((sum, i) => sum + both[i](end));
          return at.below;
        }, root);
      });
    });
    return root;
  }

  // Of each node whether folded frames stand between it and its caller.
  passes(state) {
    const tree = this.tree(state);
    if (!tree.passes) {
      tree.passes = new Uint8Array(tree.count);
      tree.leaf.forEach((_, end) => eachShown(this.model, tree, end, (node, way) => { tree.passes[node] |= way.length > 0; }));
    }
    return tree.passes;
  }
}
