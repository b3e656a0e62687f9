// From the data block to typed arrays; schema/html.md says what is in it.

async function readBlock(element) {
  const text = element.textContent;
  // Its memory is not needed twice.
  element.textContent = '';
  if (element.dataset.encoding === 'plain') {
    return JSON.parse(text);
  }
  const packed = atob(text), bytes = new Uint8Array(packed.length).map((_, i) => packed.charCodeAt(i));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
}

// Of the tree of all frames the parent of each node, -1 at the root.
function parentsOf(depths) {
  const parent = new Int32Array(depths.length), path = new Int32Array(depths.length + 1);
  path[0] = -1;
  for (let i = 0, depth = 0; i < depths.length; i++) {
    depth += depths[i];
    parent[i] = path[depth - 1];
    path[depth] = i;
  }
  return parent;
}

// The same object with each of its arrays as a typed one.
function typed(arrays, Type) {
  return fromKeys(Object.keys(arrays), (key) => Type.from(arrays[key]));
}

// Large arrays become typed ones, all else stays as it is in the block.
function decodeModel(data) {
  let end = 0;
  const columns = data.columns.map((column, i) => ({
    ...column,
    sum: Uint32Array.from(data.ends.sums[i]),
    values: typed(column.values, Float64Array),
  }));
  return {
    ...data,
    columns: data.series ? columnsOfDumps(data, columns[0]) : columns,
    parent: parentsOf(data.nodes.depth),
    frame: Int32Array.from(data.nodes.frame),
    frames: typed(data.frames, Int32Array),
    ends: Int32Array.from(data.ends.node, (step) => (end += step)),
    nameCount: data.names.text.length,
    classOf: data.names.class.map((c) => (c < 0 ? '' : data.classes[c])),
  };
}

const fullName = (model, name) => model.strings[model.names.text[name]];
const shortName = (model, name) => model.strings[model.names.short[name]];
