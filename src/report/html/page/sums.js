// Sums of a selection of stacks: of each node of a tree with all below it, and of each name by itself (flat)
// and with all that it calls (cum), each stack once.  They are made key by key, when they are asked for.
const LARGEST = { period: true, weight: true };
// What an interval of each kind of metric takes.
const KEYS = {
  bytes: ['bytes', 'variance', 'observed', 'hidden', 'excess', 'samples', 'period'],
  objects: ['objects', 'objects_variance', 'samples', 'period', 'weight', 'flags'],
};

// How values of one key are put together.
function joinerOf(key) {
  return LARGEST[key] ? Math.max : key === 'flags' ? (a, b) => a | b : null;
}

// Pass what nodes hold up to their parents.
function passUp(parent, sums, key) {
  const join = joinerOf(key);
  for (let node = sums.length - 1; node > 0; node--) {
    const to = parent[node];
    if (to >= 0) {
      sums[to] = join ? join(sums[to], sums[node]) : sums[to] + sums[node];
    }
  }
  return sums;
}

// Of a tree, a column and the stacks that are chosen: isChosen[end], or null for all.
class Sums {
  constructor(model, tree, column, isChosen) {
    Object.assign(this, { model, tree, isChosen, column: model.columns[column], known: new Map() });
  }

  // What each node, or each name of a leaf, holds by itself; to: of each end.
  own(key, to, size) {
    const { column, isChosen, tree } = this;
    const values = column.values[key], join = joinerOf(key), sums = new Float64Array(size);
    for (let end = 0; end < column.sum.length; end++) {
      const node = tree.leaf[end];
      if (node >= 0 && (!isChosen || isChosen[end])) {
        const at = to ? to[node] : node, value = values[column.sum[end]];
        sums[at] = join ? join(sums[at], value) : sums[at] + value;
      }
    }
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
      const own = this.own(key, null, this.tree.count);
      return this.column.values[key].some((value) => value !== 0) ? passUp(this.tree.parent, own, key) : own;
    });
  }

  flats(key) {
    return this.keep(`flats ${key}`, () => this.own(key, this.tree.name, this.model.nameCount));
  }

  cums(key) {
    return this.keep(`cums ${key}`, () => {
      const { tree } = this, nodes = this.nodes(key), join = joinerOf(key);
      const sums = new Float64Array(this.model.nameCount);
      for (let node = 1; node < tree.count; node++) {
        if (tree.isOuter[node] && node !== tree.cut) {
          const name = tree.name[node];
          sums[name] = join ? join(sums[name], nodes[node]) : sums[name] + nodes[node];
        }
      }
      return sums;
    });
  }

  // What an interval takes, at one place of flats, cums or nodes.
  pick(arrays, at, kind) {
    return Object.fromEntries(KEYS[kind].map((key) => [key, this[arrays](key)[at]]));
  }

  // The same of several nodes, none of which is below another.
  together(nodes, kind) {
    return Object.fromEntries(KEYS[kind].map((key) => {
      const join = joinerOf(key) || ((a, b) => a + b), sums = this.nodes(key);
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
function sortedRows(sums, others, kind, sort) {
  const flat = sums.flats(kind), cum = sums.cums(kind);
  const holds = others.flatMap((other) => ['bytes', 'objects']
    .flatMap((key) => [other.flats(key), other.cums(key)]));
  const rows = [];
  for (let name = 0; name < flat.length; name++) {
    if (holds.some((array) => array[name] !== 0)) {
      rows.push(name);
    }
  }
  const [first, second] = sort === 'cum' ? [cum, flat] : [flat, cum];
  return sort === 'name' ? rows
    : rows.sort((a, b) => first[b] - first[a] || second[b] - second[a] || a - b);
}

// --- callers and callees ----------------------------------------------------------------------------

// The nodes where `name` calls or is called by others: {callers, callees}, each a Map from the other name to
// nodes none of which is below another with the same call.
function neighborNodes(tree, name) {
  const callers = new Map(), callees = new Map();
  const add = (map, other, node) => {
    const isInner = hasAbove(tree, node);
    if (!isInner) {
      map.set(other, map.get(other) || []);
      map.get(other).push(node);
    }
  };
  for (let node = 1; node < tree.count; node++) {
    const up = tree.parent[node];
    if (up > 0 && tree.name[node] !== tree.name[up]) {
      if (tree.name[node] === name) {
        add(callers, tree.name[up], node);
      } else if (tree.name[up] === name) {
        add(callees, tree.name[node], node);
      }
    }
  }
  return { callers, callees };
}

// Whether the call of a node by its parent is made above, too.
function hasAbove(tree, node) {
  const name = tree.name[node], caller = tree.name[tree.parent[node]];
  if (tree.isOuter[node]) {
    return false;
  }
  for (let at = tree.parent[node]; at > 0; at = tree.parent[at]) {
    if (tree.name[at] === name && tree.name[tree.parent[at]] === caller && tree.parent[at] > 0) {
      return true;
    }
  }
  return false;
}
