// Which frames patterns match, and which stacks are left by those that are asked for and those that are not:
// as --focus and --ignore of the command line.  Texts that many frames share are looked at once.
const SEARCH_BUDGET = 400000;
const PATTERNS_KEPT = 50;

// What was made of a key, or is made now; where only so many are kept, those that were not asked for lately are forgotten.
function kept(known, key, make, most = Infinity) {
  const value = known.has(key) ? known.get(key) : make();
  if (most < Infinity) {
    known.delete(key);
  }
  known.set(key, value);
  if (known.size > most) {
    known.delete(known.keys().next().value);
  }
  return value;
}

// An object of what `of` makes of each key.
function fromKeys(keys, of) { return Object.fromEntries(keys.map((key) => [key, of(key)])); }

// Numbers of the texts that a frame is found by: its function's, short and without its type, its file, its
// module; what stands for no frame; and where there is no function its offset, by a pattern that begins so.  A pattern
// with "0x" or "\[" also finds a frame by the name that is shown.
class SearchIndex {
  constructor(model) {
    const { frames, functions, names, strings } = model, numbers = new Map();
    const number = (text) => kept(numbers, text, () => numbers.size);
    number('');
    this.model = model;
    this.known = new Map();
    this.of = Array.from(frames.name, (name, i) => {
      const f = frames.function[i], text = fullName(model, name);
      const own = f ? [strings[functions.match[f]], strings[functions.short[f]]]
        : [/^\[[te]/.test(text) ? text : (/0x\w+$/.exec(text) || [''])[0]];
      return own.concat(strings[frames.file[i]], strings[frames.module[i]]).map(number);
    });
    this.ofName = names.text.map((_, i) => [number(fullName(model, i)), number(shortName(model, i))]);
    this.texts = [...numbers.keys()];
  }

  // {frames, names: which match, own: frames that do or whose name does, error}
  search(pattern) {
    return kept(this.known, pattern, () => {
      const { found, error } = searchTexts(pattern, this.texts, SEARCH_BUDGET);
      this.texts.forEach((text, i) => { found[i] &= i > 0 && (pattern.startsWith('0x') || !/^0x\w+$/.test(text)); });
      const any = (all) => all.some((i) => found[i]), { name } = this.model.frames;
      const names = Uint8Array.from(this.ofName, any), frames = Uint8Array.from(this.of, (of, i) => any(of) || (/0x|\\\[/.test(pattern) && names[name[i]]));
      const own = frames.map((hit, i) => hit | names[name[i]]);
      name.forEach((one, i) => { names[one] |= frames[i]; });
      return { error, frames, names, own };
    }, PATTERNS_KEPT);
  }

  // Which stacks have a frame that a pattern matches.
  stacks(pattern) { return this.stacksOf(this.search(pattern).frames); }

  // The same of frames of which a row's name is one.
  named(is) { return this.stacksOf(this.model.frames.name.map(is)); }

  stacksOf(hits) {
    const { frame, parent, ends } = this.model, nodes = new Uint8Array(frame.length);
    for (let i = 0; i < frame.length; i++) {
      nodes[i] = hits[frame[i]] | (parent[i] < 0 ? 0 : nodes[parent[i]]);
    }
    return ends.map((end) => nodes[end]);
  }
}
