// What the flame graph shows as a profile of pprof's (profile.proto), of names alone; there is no time in it.

// Seven bits at a time.
function putVarint(out, number) {
  let left = number;
  for (; left >= 128; left = floor(left / 128)) {
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

function bytesOf(all, put) {
  const out = [];
  all.forEach((one) => put(out, one));
  return out;
}

function messageOf(...fields) { return bytesOf(fields, (out, [field, content]) => putField(out, field, content)); }

// Of each name a function, and a location of the same number.
function pprofBytes({ tree, stacks, nameOf, types }) {
  const texts = new Map(), calls = new Map(), out = [];
  const text = (one) => kept(texts, one, () => texts.size);
  const call = (node) => kept(calls, tree.name[node], () => {
    const number = calls.size + 1;
    putField(out, 5, messageOf([1, number], [2, text(nameOf(node))]));
    putField(out, 4, messageOf([1, number], [4, messageOf([1, number])]));
    return number;
  });
  text('');
  types.forEach(({ type, unit }) => putField(out, 1, messageOf([1, text(type)], [2, text(unit)])));
  for (const { node, values } of stacks) {
    putField(out, 2, messageOf([1, bytesOf(nodesTo(tree, node).reverse().map(call), putVarint)], [2, bytesOf(values, putVarint)]));
  }
  [...texts.keys()].forEach((one) => putField(out, 6, new TextEncoder().encode(one)));
  putField(out, 14, text(types[types.length - 1].type));
  return Uint8Array.from(out);
}

function pprofOf(shown) {
  return new Response(new Blob([pprofBytes(shown)]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}
