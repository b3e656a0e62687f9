// From the tree of all frames to the tree of those that a view shows: folded frames, which a class decides
// about, leave their callees to their callers, and nodes of one name beside each other become one.
//
// A tree is {count, parent, name, leaf, isOuter, at}: node 0 stands for all, parents stand before their
// callees; leaf[end] is the node that is charged with what the end holds, or -1; isOuter[node] says that no
// node on its way to the root has its name; at[raw] is the node that a raw one is part of, or lies below.

// Finds nodes by parent and name: open addressing, as many places as twice the nodes and more.
class NodeTable {
  constructor(most) {
    let size = 1024;
    while (size < most * 2) {
      size *= 2;
    }
    this.places = new Int32Array(size);
    this.mask = size - 1;
    this.parent = new Int32Array(most + 1);
    this.name = new Int32Array(most + 1);
    this.isOuter = new Uint8Array(most + 1);
    this.count = 1;
    this.parent[0] = this.name[0] = -1;
  }

  // The node, made if it is new.
  find(parent, name, isOuter) {
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(name + 1, 0x85ebca6b);
    hash = (hash ^ (hash >>> 15)) & this.mask;
    for (let node; (node = this.places[hash]) !== 0; hash = (hash + 1) & this.mask) {
      if (this.parent[node] === parent && this.name[node] === name) {
        return node;
      }
    }
    const node = this.count++;
    this.places[hash] = node;
    this.parent[node] = parent;
    this.name[node] = name;
    this.isOuter[node] = isOuter ? 1 : 0;
    return node;
  }

  tree(leaf, at) {
    const { count } = this;
    return {
      count, leaf, at,
      parent: this.parent.slice(0, count),
      name: this.name.slice(0, count),
      isOuter: this.isOuter.slice(0, count),
    };
  }
}

// Of each frame whether a view folds it.  `pick` is a name that is shown although its class is folded.
function foldedFrames(model, folds, pick) {
  const { frames } = model, allocator = model.classes.indexOf('allocator');
  return frames.class.map((c, i) => {
    const isNamed = frames.name[i] === pick && (frames.function[i] !== 0 || c !== allocator);
    return (folds >> c & 1) && !isNamed ? 1 : 0;
  });
}

// How many frames of each name are shown on the way from the root to where a walk in depth is.
class ShownPath {
  constructor(model) {
    this.names = new Int32Array(model.nameCount);
    this.path = [];
    this.raw = [];
  }

  // Go back until `parent` is the last.
  leave(parent) {
    while (this.raw.length > 0 && this.raw[this.raw.length - 1] !== parent) {
      this.raw.pop();
      const name = this.path.pop();
      if (name >= 0) {
        this.names[name]--;
      }
    }
  }

  enter(node, name) {
    this.raw.push(node);
    this.path.push(name);
    if (name >= 0) {
      this.names[name]++;
    }
  }
}

// Of each raw node: is the nearest frame that is not folded one that holds what others allocate, and which
// node is the leaf if the allocator's frames alone are folded.  What stands for a cut has no say.
class Charges {
  constructor(model, isFolded) {
    this.model = model;
    this.isFolded = isFolded;
    this.isCharged = new Uint8Array(model.frame.length);
    this.allocating = new Int32Array(model.frame.length);
    this.allocator = model.classes.indexOf('allocator');
  }

  pass(node, parent, frame) {
    const isTop = parent < 0 || this.model.frame[parent] === this.model.truncated;
    const c = this.model.frames.class[frame];
    this.isCharged[node] = this.isFolded[frame] ? (isTop ? 0 : this.isCharged[parent])
      : Number(this.model.classes[c] !== 'none');
    this.allocating[node] = c === this.allocator && this.isFolded[frame] && !isTop
      ? this.allocating[parent] : node;
  }

  // The node that stays although it is folded, or -1.
  kept(node) {
    const at = this.allocating[node];
    return !this.isCharged[node] && this.isFolded[this.model.frame[at]] ? at : -1;
  }
}

function foldTree(model, folds, pick) {
  const { frame, parent, frames, ends } = model;
  const isFolded = foldedFrames(model, folds, pick), charges = new Charges(model, isFolded);
  const isLeft = isFolded.map((folded, i) => folded | frames.hidden[i]);
  const table = new NodeTable(frame.length + ends.length), path = new ShownPath(model);
  const at = new Int32Array(frame.length), leaf = new Int32Array(ends.length).fill(-1);
  for (let i = 0, end = 0; i < frame.length; i++) {
    const f = frame[i], name = frames.name[f], above = parent[i] < 0 ? 0 : at[parent[i]];
    path.leave(parent[i]);
    at[i] = isLeft[f] ? above : table.find(above, name, path.names[name] === 0);
    path.enter(i, isLeft[f] ? -1 : name);
    charges.pass(i, parent[i], f);
    for (; end < ends.length && ends[end] === i; end++) {
      leaf[end] = leafOf(model, table, path, at[i], charges.kept(i));
    }
  }
  const tree = table.tree(leaf, at);
  tree.cut = model.truncated < 0 ? -1 : tree.name.indexOf(frames.name[model.truncated]);
  return Object.assign(tree, { isFolded, charges });
}

// What is charged with a stack that ends below `above`.
function leafOf(model, table, path, above, kept) {
  const frame = kept < 0 ? -1 : model.frame[kept];
  if (frame >= 0 && !model.frames.hidden[frame]) {
    const name = model.frames.name[frame];
    return table.find(above, name, path.names[name] === 0);
  }
  const isCut = model.truncated >= 0 && table.name[above] === model.frames.name[model.truncated];
  return above > 0 && !isCut ? above : -1;
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
