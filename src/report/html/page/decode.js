// From the data block to typed arrays; schema/html.md says what is in it.

function bytesOfBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

async function readBlock(element) {
  const text = element.textContent;
  element.textContent = ''; // its memory is not needed twice
  if (element.dataset.encoding === 'plain') {
    return JSON.parse(text);
  }
  const stream = new Blob([bytesOfBase64(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
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

function runningSum(steps) {
  const sums = new Int32Array(steps.length);
  for (let i = 0, sum = 0; i < steps.length; i++) {
    sums[i] = sum += steps[i];
  }
  return sums;
}

function typedFrames(frames) {
  const typed = {};
  for (const key of Object.keys(frames)) {
    typed[key] = Int32Array.from(frames[key]);
  }
  return typed;
}

// Large arrays become typed ones, all else stays as it is in the block.
function decodeModel(data) {
  const columns = data.columns.map((column, i) => ({
    ...column,
    sum: Uint32Array.from(data.ends.sums[i]),
    values: Object.fromEntries(Object.entries(column.values)
      .map(([key, values]) => [key, Float64Array.from(values)])),
  }));
  return {
    ...data,
    columns,
    parent: parentsOf(data.nodes.depth),
    frame: Int32Array.from(data.nodes.frame),
    frames: typedFrames(data.frames),
    ends: runningSum(data.ends.node),
    nameCount: data.names.text.length,
    classOf: data.names.class.map((c) => (c < 0 ? '' : data.classes[c])),
  };
}

function fullName(model, name) { return model.strings[model.names.text[name]]; }
function shortName(model, name) { return model.strings[model.names.short[name]]; }
