// Sums of a selection of stacks: of each node of a tree with all below it, and of each name by itself (flat)
// and with all that it calls (cum), each stack once.  They are made key by key, when they are asked for.
const add = (a, b) => a + b;
const JOINS = { period: Math.max, weight: Math.max, flags: (a, b) => a | b };

// What an interval of each kind of metric takes.
const KEYS = {
  bytes: ['bytes', 'variance', 'observed', 'hidden', 'excess', 'samples', 'period'],
  objects: ['objects', 'objects_variance', 'samples', 'period', 'weight', 'flags'],
};

// Of a tree, a column and the stacks that are chosen: isChosen[end], or null for all.
class Sums {
  constructor(model, tree, column, isChosen) {
    Object.assign(this, { model, tree, isChosen, column: model.columns[column], known: new Map() });
  }

  // What each node, or with `to` each name, holds by itself.
  own(key, size, to) {
    const { column, isChosen, tree } = this, values = column.values[key], join = JOINS[key] || add;
    const sums = new Float64Array(size);
    tree.leaf.forEach((node, end) => {
      if (node >= 0 && (!isChosen || isChosen[end])) {
        const at = to ? to[node] : node;
        sums[at] = join(sums[at], values[column.sum[end]]);
      }
    });
    return sums;
  }

  keep(what, make) {
    if (!this.known.has(what)) {
      this.known.set(what, make());
    }
    return this.known.get(what);
  }

  nodes(key) {
    return this.keep(`nodes ${key}`, () => {
      const { parent, count } = this.tree, sums = this.own(key, count), join = JOINS[key] || add;
      for (let node = this.isAny(key) ? count - 1 : 0; node > 0; node--) {
        const up = parent[node];
        if (up >= 0) {
          sums[up] = join(sums[up], sums[node]);
        }
      }
      return sums;
    });
  }

  // Most dumps have no such thing as sizes that may hide others.
  isAny(key) { return this.column.values[key].some(Boolean); }

  flats(key) {
    return this.keep(`flats ${key}`, () => this.own(key, this.model.nameCount, this.tree.name));
  }

  cums(key) {
    return this.keep(`cums ${key}`, () => {
      const { count, isOuter, cut, name } = this.tree, nodes = this.nodes(key), join = JOINS[key] || add;
      const sums = new Float64Array(this.model.nameCount);
      for (let node = this.isAny(key) ? 1 : count; node < count; node++) {
        if (isOuter[node] && node !== cut) {
          sums[name[node]] = join(sums[name[node]], nodes[node]);
        }
      }
      return sums;
    });
  }

  // What an interval takes, at one place of flats, cums or nodes.
  pick(arrays, at, kind) {
    return Object.fromEntries(KEYS[kind].map((key) => [key, this[arrays](key)[at]]));
  }

  // The same of all that is chosen.
  whole(kind) {
    const zeros = new Uint8Array(this.tree.count);
    return Object.fromEntries(KEYS[kind].map((key) => [key, this.own(key, 1, zeros)[0]]));
  }

  // The same of several nodes, none of which is below another.
  together(nodes, kind) {
    return Object.fromEntries(KEYS[kind].map((key) => {
      const sums = this.nodes(key), join = JOINS[key] || add;
      return [key, nodes.reduce((sum, node) => join(sum, sums[node]), 0)];
    }));
  }

  // Among how many rows those of a table were chosen for their size.
  among(sort) {
    if (!this.column.chosen || sort === 'name') {
      return 1;
    }
    const samples = sort === 'cum' ? this.cums('samples') : this.flats('samples');
    let once = 0, twice = 0, any = 0;
    for (const n of samples) {
      once += n === 1;
      twice += n === 2;
      any += n > 0;
    }
    return any + once * (once - 1) / (2 * (twice + 1));
  }
}

// --- rows ---------------------------------------------------------------------------------------------

// The names that hold anything in any metric, in the order of a table.
function sortedRows(sums, columns, kind, sort) {
  const flat = sums.flats(kind), cum = sums.cums(kind), [first, second] = sort === 'cum' ? [cum, flat] : [flat, cum];
  const held = columns.flatMap((column) => [column.cums('bytes'), column.cums('objects')]);
  const rows = [...flat.keys()].filter((name) => held.some((values) => values[name] !== 0));
  return sort === 'name' ? rows : rows.sort((a, b) => first[b] - first[a] || second[b] - second[a] || a - b);
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
      map.set(other, map.get(other) || []);
      map.get(other).push(node);
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
