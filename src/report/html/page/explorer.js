// What the screens show of a state: trees and sums, kept while they may be asked for again.
class Explorer {
  constructor(model) {
    this.model = model;
    this.search = new SearchIndex(model);
    this.trees = new Map();
    this.sums = new Map();
    this.chosen = { key: '', ends: null };
  }

  kind(state) { return this.model.metrics[state.metric].kind; }

  // A function that one asks for is shown although it is folded.
  pick(state) {
    const { frames, views } = this.model, folds = views[state.view];
    const isFolded = state.name >= 0 && frames.name.some((name, i) =>
      name === state.name && (folds >> frames.class[i] & 1));
    return isFolded ? state.name : -1;
  }

  tree(state) {
    const pick = this.pick(state), key = `${state.view} ${pick}`;
    if (!this.trees.has(key)) {
      if (this.trees.size > 3) {
        this.trees.clear();
        this.sums.clear();
      }
      this.trees.set(key, foldTree(this.model, this.model.views[state.view], pick));
    }
    return this.trees.get(key);
  }

  // Which stacks are left; null: all.
  ends(state) {
    const key = JSON.stringify([state.only, state.without]);
    if (this.chosen.key !== key) {
      this.chosen = { key, ends: this.search.left(state.only, state.without) };
      this.sums.clear();
    }
    return this.chosen.ends;
  }

  // Of a column; that of the metric, if none is named.
  of(state, column = this.model.metrics[state.metric].column) {
    const ends = this.ends(state), tree = this.tree(state);
    const key = `${state.view} ${this.pick(state)} ${column}`;
    if (!this.sums.has(key)) {
      this.sums.set(key, new Sums(this.model, tree, column, ends));
    }
    return this.sums.get(key);
  }

  total(state) {
    return estimateOf(this.model, state.metric, this.of(state).pick('nodes', 0, this.kind(state)), 1);
  }

  rows(state) {
    const all = this.model.columns.map((_, i) => this.of(state, i));
    return sortedRows(this.of(state), all, this.kind(state), state.sort);
  }

  // {flat, cum} of a name.  As a row of the table it is one of those that were chosen for their size.
  row(state, name, isRow) {
    const sums = this.of(state), kind = this.kind(state), value = kind;
    const among = isRow ? sums.keep(`among ${state.sort}`, () => sums.among(state.sort)) : 1;
    const same = sums.flats(value)[name] === sums.cums(value)[name];
    const of = (arrays, isSorted) => estimateOf(this.model, state.metric, sums.pick(arrays, name, kind),
      isSorted || same ? among : 1);
    return { flat: of('flats', state.sort !== 'cum'), cum: of('cums', state.sort === 'cum') };
  }

  // The metric of the objects, or of the bytes, of the same column; -1: there is none.
  sibling(state, kind) {
    const { metrics } = this.model, { column } = metrics[state.metric];
    return metrics.findIndex((metric) => metric.column === column && metric.kind === kind);
  }

  // {callers, callees} of the function of a state, largest first: {name, nodes, value}.
  neighbors(state) {
    const values = this.of(state).nodes(this.kind(state));
    const list = (map) => [...map].map(([name, nodes]) => ({
      name, nodes, value: nodes.reduce((sum, node) => sum + values[node], 0),
    })).filter((one) => one.value !== 0).sort((a, b) => b.value - a.value || a.name - b.name);
    const { callers, callees } = neighborNodes(this.tree(state), state.name);
    return { callers: list(callers), callees: list(callees) };
  }

  neighbor(state, { nodes }) {
    return estimateOf(this.model, state.metric, this.of(state).together(nodes, this.kind(state)), 1);
  }

  // What stacks hold that have a frame that is searched for.
  found(state) {
    const hits = this.search.stacks([state.search]), ends = this.ends(state);
    const chosen = ends ? hits.map((hit, i) => hit & ends[i]) : hits;
    const sums = new Sums(this.model, this.tree(state), this.model.metrics[state.metric].column, chosen);
    return estimateOf(this.model, state.metric, sums.pick('nodes', 0, this.kind(state)), 1);
  }

  // Where a function is: its frames with what they hold with all below, each stack once.
  places(state) {
    const { frames, parent, frame } = this.model, sums = this.rawSums(state), places = new Map();
    for (let node = 0; node < frame.length; node++) {
      const f = frame[node];
      if (frames.name[f] === state.name && sums[node] > 0 && !this.isBelow(node, f)) {
        const key = [frames.file[f], frames.line[f], frames.module[f], frames.inlined[f]].join();
        const place = places.get(key) || { frame: f, value: 0 };
        place.value += sums[node];
        places.set(key, place);
      }
    }
    return [...places.values()].sort((a, b) => b.value - a.value || a.frame - b.frame);
  }

  isBelow(node, f) {
    const { parent, frame } = this.model;
    for (let at = parent[node]; at >= 0; at = parent[at]) {
      if (frame[at] === f) {
        return true;
      }
    }
    return false;
  }

  // Of the tree of all frames what each node holds with all below it.
  rawSums(state) {
    const kind = this.kind(state), { column: number } = this.model.metrics[state.metric];
    return this.of(state).keep(`raw ${kind}`, () => {
      const column = this.model.columns[number], ends = this.ends(state);
      const sums = new Float64Array(this.model.frame.length);
      this.model.ends.forEach((node, end) => {
        sums[node] += !ends || ends[end] ? column.values[kind][column.sum[end]] : 0;
      });
      for (let node = sums.length - 1; node >= 0; node--) {
        if (this.model.parent[node] >= 0) {
          sums[this.model.parent[node]] += sums[node];
        }
      }
      return sums;
    });
  }

  // What a function holds by itself, by the folded frames that it passed: a tree of
  // {name, value, below: Map}, whose first stands for the function.
  folded(state) {
    const { model } = this, tree = this.tree(state), kind = this.kind(state), ends = this.ends(state);
    const column = model.columns[model.metrics[state.metric].column];
    const root = { name: state.name, value: 0, below: new Map() };
    tree.leaf.forEach((leaf, end) => {
      const value = column.values[kind][column.sum[end]];
      if (leaf >= 0 && tree.name[leaf] === state.name && value !== 0 && (!ends || ends[end])) {
        this.addChain(root, this.chain(tree, model.ends[end]), value);
      }
    });
    return root;
  }

  // The names of the folded frames below the one that is charged, from there on.
  chain(tree, end) {
    const { frame, parent, frames } = this.model, kept = keptNode(this.model, tree, end), names = [];
    for (let node = end; node >= 0 && node !== kept && tree.isFolded[frame[node]]; node = parent[node]) {
      names.push(frames.name[frame[node]]);
    }
    return names.reverse();
  }

  addChain(root, names, value) {
    let at = root;
    root.value += value;
    for (const name of names) {
      if (!at.below.has(name)) {
        at.below.set(name, { name, value: 0, below: new Map() });
      }
      at = at.below.get(name);
      at.value += value;
    }
  }
}
