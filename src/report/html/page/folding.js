// From the tree of all frames to the tree of those that a view shows: folded frames, which a class decides
// about, leave their callees to their callers, and nodes of one name beside each other become one.
//
// A tree is {count, parent, name, leaf, charged, isOuter, at, ...}: node 0 stands for all, parents stand before their
// callees; leaf[end] is the node that is charged with what the end holds, or -1, and charged[end] its frame; isOuter[node] says that no
// node on its way to the root has its name; at[raw] is the node that a raw one is part of, or lies below.

// Finds nodes by parent and name.  Most have one child, which is found by them; others are found by open
// addressing, in as many places as twice the nodes and more.
class NodeTable {
  constructor(most) {
    const size = 2 ** max(10, ceil(Math.log2(most)));
    const nodes = () => new Int32Array(most + 1);
    Object.assign(this, { count: 1, mask: size - 1, places: new Int32Array(size), parent: nodes(), name: nodes(), child: nodes(), isOuter: new Uint8Array(most + 1) });
    this.parent[0] = this.name[0] = -1;
  }

  // The node, made if it is new.
  find(parent, name, isOuter) {
    const first = this.child[parent];
    if (first === 0) {
      return (this.child[parent] = this.add(parent, name, isOuter));
    }
    return this.name[first] === name ? first : this.findAmong(parent, name, isOuter);
  }

  findAmong(parent, name, isOuter) {
    let hash = Math.imul(parent ^ Math.imul(name + 1, 0x85ebca6b), 0x9e3779b1);
    hash = (hash ^ (hash >>> 15)) & this.mask;
    for (let node; (node = this.places[hash]) !== 0; hash = (hash + 1) & this.mask) {
      if (this.parent[node] === parent && this.name[node] === name) {
        return node;
      }
    }
    return (this.places[hash] = this.add(parent, name, isOuter));
  }

  add(parent, name, isOuter) {
    const node = this.count++;
    this.parent[node] = parent;
    this.name[node] = name;
    this.isOuter[node] = isOuter;
    return node;
  }

  tree(leaf, at) {
    const { count } = this;
    return { count, leaf, at, ...fromKeys(['parent', 'name', 'isOuter'], (key) => this[key].slice(0, count)) };
  }
}

// Of each frame whether a view folds it.  `pick` is a name that is shown although its class is folded.
function foldedFrames(model, folds, pick) {
  const { frames } = model, allocator = model.classes.indexOf('allocator');
  return frames.class.map((c, i) => {
    const isNamed = frames.name[i] === pick && (frames.function[i] !== 0 || c !== allocator);
    return isNamed ? 0 : folds >> c & 1;
  });
}

// What decides who is charged with a stack, passed down from the root; what stands for a cut has no say.
// isCharged[node]: the nearest frame that is not folded holds what others allocate; allocating[node]: the node
// that is the leaf if the allocator's frames alone are folded.
function passCharges(model, isFolded) {
  const { frame, parent, truncated } = model, count = frame.length, classOf = model.frames.class;
  const none = model.classes.indexOf('none'), allocator = model.classes.indexOf('allocator');
  const isCharged = new Uint8Array(count), allocating = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    const f = frame[node], up = parent[node], isTop = up < 0 || frame[up] === truncated;
    isCharged[node] = isFolded[f] ? (isTop ? 0 : isCharged[up]) : classOf[f] !== none;
    allocating[node] = isFolded[f] && classOf[f] === allocator && !isTop ? allocating[up] : node;
  }
  return { isCharged, allocating };
}

// The node that stays although it is folded, or -1.
function keptNode(model, tree, node) {
  const at = tree.allocating[node];
  return !tree.isCharged[node] && tree.isFolded[model.frame[at]] ? at : -1;
}

function foldTree(model, folds, pick) {
  const { frame, parent, frames, ends } = model, count = frame.length;
  const isFolded = foldedFrames(model, folds, pick), charges = passCharges(model, isFolded);
  const nameOf = frames.name.map((name, f) => (isFolded[f] || frames.hidden[f] ? -1 : name));
  const table = new NodeTable(count + ends.length), at = new Int32Array(count);
  // On the way from the root: nodes, and how many of each name are shown.
  const way = new Int32Array(count + 1), shown = new Int32Array(model.nameCount + 1);
  const leaf = new Int32Array(ends.length).fill(-1), charged = leaf.slice(), nearest = new Int32Array(count), self = { ...charges, isFolded };
  for (let node = 0, end = 0, depth = 0; node < count; node++) {
    const up = parent[node], name = nameOf[frame[node]];
    while (depth > 0 && way[depth - 1] !== up) {
      shown[nameOf[frame[way[--depth]]] + 1]--;
    }
    const above = up < 0 ? 0 : at[up];
    nearest[node] = name < 0 ? (up < 0 ? -1 : nearest[up]) : frame[node];
    at[node] = name < 0 ? above : table.find(above, name, shown[name + 1] === 0);
    way[depth++] = node;
    shown[name + 1]++;
    for (; end < ends.length && ends[end] === node; end++) {
      const kept = keptNode(model, self, node), own = kept < 0 || frames.hidden[frame[kept]] ? -1 : frame[kept];
      leaf[end] = leafOf(model, table, shown, at[node], own);
      charged[end] = own < 0 ? nearest[node] : own;
    }
  }
  const tree = Object.assign(table.tree(leaf, at), self, { charged });
  tree.cut = model.truncated < 0 ? -1 : tree.name.indexOf(frames.name[model.truncated]);
  return tree;
}

// What is charged with a stack that ends below `above`; -1: nothing of it is shown.
function leafOf(model, table, shown, above, frame) {
  const { frames } = model;
  if (frame >= 0) {
    return table.find(above, frames.name[frame], shown[frames.name[frame] + 1] === 0);
  }
  const isCut = model.truncated >= 0 && table.name[above] === frames.name[model.truncated];
  return above > 0 && !isCut ? above : -1;
}

// What a stack shows, from its end on: `visit` gets each node, or -1 at the end, with the names of the folded frames up to the
// next one, from the root.
function eachShown(model, tree, end, visit) {
  const { ends, frame, frames, parent } = model, stays = keptNode(model, tree, ends[end]);
  let last = -1, way = [];
  for (let node = ends[end]; node >= 0; node = parent[node]) {
    const f = frame[node], isShown = node === stays || !tree.isFolded[f];
    if (isShown && !frames.hidden[f]) {
      visit(last, way);
      last = node === stays ? tree.leaf[end] : tree.at[node];
      way = [];
    } else if (!isShown && !frames.hidden[f]) {
      way.unshift(frames.name[f]);
    }
  }
}

// Callees of each node as lists: first[node], and next[node] beside it; 0 is none.
function linkChildren(tree) {
  if (!tree.first) {
    tree.first = new Int32Array(tree.count);
    tree.next = new Int32Array(tree.count);
    for (let node = tree.count - 1; node > 0; node--) {
      tree.next[node] = tree.first[tree.parent[node]];
      tree.first[tree.parent[node]] = node;
    }
  }
  return tree;
}

// Those that hold anything, the largest first.
function calleesOf(tree, sums, caller) {
  const callees = [], { first, next } = linkChildren(tree);
  for (let node = first[caller]; node; node = next[node]) {
    if (sums[node] > 0) {
      callees.push(node);
    }
  }
  return callees.sort((a, b) => sums[b] - sums[a] || a - b);
}
