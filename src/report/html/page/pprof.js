// What the flame graph shows as a profile of pprof's (profile.proto), of names alone; there is no time in it.

// Seven bits at a time.
function putVarint(out, number) {
  let left = number;
  for (; left >= 128; left = Math.floor(left / 128)) {
    out.push(left % 128 + 128);
  }
  out.push(left);
}

// A field of a message: a number, or bytes.
function putField(out, field, content) {
  const isNumber = typeof content === 'number';
  putVarint(out, field * 8 + (isNumber ? 0 : 2));
  putVarint(out, isNumber ? content : content.length);
  for (const byte of isNumber ? [] : content) {
    out.push(byte);
  }
}

function messageOf(...fields) {
  const out = [];
  fields.forEach(([field, content]) => putField(out, field, content));
  return out;
}

function packed(numbers) {
  const out = [];
  numbers.forEach((number) => putVarint(out, number));
  return out;
}

// Of each name a function, and a location of the same number.
function pprofBytes({ tree, stacks, nameOf, types }) {
  const texts = new Map(), calls = new Map(), out = [];
  const text = (one) => kept(texts, one, Infinity, () => texts.size);
  const call = (node) => kept(calls, tree.name[node], Infinity, () => {
    const number = calls.size + 1;
    putField(out, 5, messageOf([1, number], [2, text(nameOf(node))]));
    putField(out, 4, messageOf([1, number], [4, messageOf([1, number])]));
    return number;
  });
  text('');
  types.forEach(({ type, unit }) => putField(out, 1, messageOf([1, text(type)], [2, text(unit)])));
  for (const { node, values } of stacks) {
    putField(out, 2, messageOf([1, packed(nodesTo(tree, node).reverse().map(call))], [2, packed(values)]));
  }
  [...texts].sort(([, a], [, b]) => a - b).forEach(([one]) => putField(out, 6, new TextEncoder().encode(one)));
  putField(out, 14, text(types[types.length - 1].type));
  return Uint8Array.from(out);
}

function pprofOf(shown) {
  return new Response(new Blob([pprofBytes(shown)]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}
