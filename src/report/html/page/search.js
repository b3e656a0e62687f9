// Which frames patterns match, and which stacks are left by those that are asked for and those that are not:
// as --focus and --ignore of the command line.  Texts that many frames share are looked at once.
const SEARCH_MILLISECONDS = 100;

// Numbers of the texts that a frame is found by: its function's, short and without its type, its file, its
// module; what stands for no frame; and where there is no function its offset, by a pattern that begins so.
class SearchIndex {
  constructor(model) {
    this.model = model;
    this.texts = [];
    this.number = new Map();
    this.known = new Map();
    const { frames, functions } = model, of = (string) => this.add(model.strings[string]);
    this.of = Array.from(frames.name, (name, i) => {
      const f = frames.function[i];
      const texts = f ? [of(functions.match[f]), of(functions.short[f])] : [];
      return texts.concat(of(frames.file[i]), of(frames.module[i]), this.standIns(name, f));
    });
    this.ofName = Array.from(model.names.text, (text, i) => [of(text), of(model.names.short[i])]);
  }

  standIns(name, f) {
    const text = fullName(this.model, name), offset = /\+(0x[0-9a-f]+)$/.exec(text);
    return f ? [] : offset ? [this.add(offset[1])] : /^\[(truncated|empty stack)\]$/.test(text) ? [this.add(text)] : [];
  }

  add(text) {
    let number = this.number.get(text);
    if (number === undefined) {
      this.number.set(text, number = this.texts.push(text) - 1);
    }
    return number;
  }

  // {frames, names: which match, error}
  search(pattern) {
    let known = this.known.get(pattern);
    if (!known) {
      const isOffset = pattern.startsWith('0x');
      const { found, error } = searchTexts(pattern, this.texts, SEARCH_MILLISECONDS);
      this.texts.forEach((text, i) => { found[i] &= text !== '' && (isOffset || !/^0x[0-9a-f]+$/.test(text)); });
      const any = (texts) => (texts.some((text) => found[text]) ? 1 : 0);
      known = { error, frames: Uint8Array.from(this.of, any), names: Uint8Array.from(this.ofName, any) };
      this.model.frames.name.forEach((name, i) => { known.names[name] |= known.frames[i]; });
      if (this.known.size > 20) {
        this.known.clear();
      }
      this.known.set(pattern, known);
    }
    return known;
  }

  // Which stacks have a frame that any of the patterns matches.
  stacks(patterns) {
    const { frame, parent, ends } = this.model;
    const found = patterns.map((pattern) => this.search(pattern).frames);
    const hits = Uint8Array.from(this.model.frames.name, (_, i) => (found.some((of) => of[i]) ? 1 : 0));
    const nodes = new Uint8Array(frame.length), stacks = new Uint8Array(ends.length);
    for (let i = 0; i < frame.length; i++) {
      nodes[i] = hits[frame[i]] | (parent[i] < 0 ? 0 : nodes[parent[i]]);
    }
    for (let i = 0; i < ends.length; i++) {
      stacks[i] = nodes[ends[i]];
    }
    return stacks;
  }

  // Which stacks are left; null: all.  A pattern that is none leaves out nothing.
  left(only, without) {
    const good = (pattern) => !this.search(pattern).error;
    const focus = only.filter(good), ignore = without.filter(good);
    if (focus.length + ignore.length === 0) {
      return null;
    }
    const left = focus.length > 0 ? this.stacks(focus)
      : new Uint8Array(this.model.ends.length).fill(1);
    const out = ignore.length > 0 ? this.stacks(ignore) : [];
    out.forEach((isOut, i) => { left[i] &= 1 - isOut; });
    return left;
  }
}
