// Regular expressions that cannot run away: what is typed, or stands in an address, becomes a list of states, all
// of which are followed at once through a text, and sets of states that were met are known from then on.
// A search over many texts stops after so much work, some 100 ms, whatever else the machine does.  What cannot be followed so (back-references, looking
// around) is refused.  Letters are what they are; "(?i)" at the beginning makes large and small ones alike.
//
// A state is {set, to}: a character that `set` matches; {to, or}: both ways; {holds, to}: what has to hold
// there; and number 0 the end.  A single character is matched by the browser, where nothing can repeat.
// Characters.
const PATTERN_LENGTH = 1000;
const PATTERN_STATES = 5000;
const SETS_KNOWN = 1000;

const isWord = (c) => /^\w$/.test(c);
const HOLDS = {
  '^': (before) => !before,
  $: (before, after) => !after,
  b: (before, after) => isWord(before) !== isWord(after),
  B: (before, after) => isWord(before) === isWord(after),
};

function refuse(why) {
  throw new SyntaxError(why);
}

// Reads a pattern and makes states of it, each part with the one behind it, from the end on.
class PatternReader {
  constructor(text) {
    this.flags = text.startsWith('(?i)') ? 'i' : '';
    this.text = this.flags ? text.slice(4) : text;
    this.at = 0;
    this.states = [{}];
    this.start = this.alternatives(0)(0);
    if (this.at < this.text.length) {
      refuse('stray )');
    }
  }

  take(regexp) {
    regexp.lastIndex = this.at;
    const found = regexp.exec(this.text);
    this.at += found ? found[0].length : 0;
    return found;
  }

  add(state) {
    return this.states.length < PATTERN_STATES ? this.states.push(state) - 1 : refuse('too long');
  }

  // Each of these returns a function from the state behind a part to the one that it begins with.
  alternatives(depth) {
    const ways = [this.sequence(depth)];
    while (this.take(/\|/y)) {
      ways.push(this.sequence(depth));
    }
    return (to) => ways.map((way) => way(to)).reduce((or, way) => this.add({ to: way, or }));
  }

  sequence(depth) {
    const parts = [];
    while (this.at < this.text.length && !/[|)]/.test(this.text[this.at])) {
      parts.push(this.repeated(this.atom(depth)));
    }
    return (to) => parts.reduceRight((next, part) => part(next), to);
  }

  repeated(atom) {
    let part = atom;
    for (let found; (found = this.take(/(?:[*+?]|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})[?+]?/y));) {
      const [text, low, comma, high] = found;
      const least = low ? Number(low) : text[0] === '+' ? 1 : 0;
      const most = text[0] === '?' ? 1 : high ? Number(high) : low && !comma ? least : Infinity;
      part = this.times(part, least, most >= least ? most : refuse('wrong {}'));
    }
    return part;
  }

  times(part, least, most) {
    return (to) => {
      let begin = to;
      if (most === Infinity) {
        begin = this.add({ to });
        this.states[begin].or = part(begin);
      }
      for (let i = least; most < Infinity && i < most; i++) {
        begin = this.add({ to, or: part(begin) });
      }
      // An empty part, of whatever repetitions, is as good once.
      for (let i = 0, last = -1; i < least && begin !== last; i++) {
        last = begin;
        begin = part(begin);
      }
      return begin;
    };
  }

  atom(depth) {
    if (this.take(/\((?:\?:)?(?!\?)/y)) {
      const part = depth < 100 ? this.alternatives(depth + 1) : refuse('too deep');
      return this.take(/\)/y) ? part : refuse('missing )');
    }
    const holds = this.take(/[$^]|\\[bB]/y);
    if (holds) {
      const state = { holds: HOLDS[holds[0].slice(-1)] };
      return (to) => this.add({ ...state, to });
    }
    const found = this.take(/\\x[0-9a-fA-F]{2}|\\[dDwWsSnrtfv0]|\.|\[\^?(?:[^\]\\]|\\.)+\]/ys) ||
      this.take(/\\[^a-zA-Z0-9]|[^\\()[*+?]/ys) || refuse(`cannot search for ${this.text.slice(this.at, this.at + 3)}`);
    const set = new RegExp(`^${found[0].replace(/^[\]{}|]$/, '\\$&')}$`, this.flags);
    return (to) => this.add({ set, to });
  }
}

class Pattern {
  constructor(text) {
    const { states, start } = new PatternReader(text.length <= PATTERN_LENGTH ? text : refuse('too long'));
    Object.assign(this, { states, start });
    this.forget();
  }

  // What is known of a set of states behind a character: where each character that came leads.
  forget() {
    this.known = new Map();
    this.first = this.setOf([this.start], '');
  }

  setOf(states, before) {
    const list = [...new Set(states)].sort((a, b) => a - b), last = before && (isWord(before) ? 'a' : ' ');
    const key = list + last;
    if (!this.known.has(key)) {
      this.known.set(key, { list, last, to: new Array(128), isEnd: !this.reach({ list, last }, '') });
    }
    return this.known.get(key);
  }

  // What is reached from a set without a character; null: the end.
  reach({ list, last }, after) {
    const seen = new Uint8Array(this.states.length), stack = list.slice(), reached = [];
    while (stack.length > 0) {
      const number = stack.pop(), state = this.states[number];
      if (number === 0) {
        return null;
      }
      if (!seen[number]) {
        seen[number] = 1;
        if (state.set) {
          reached.push(state);
        } else if (!state.holds || state.holds(last, after)) {
          stack.push(state.to, state.or === undefined ? state.to : state.or);
        }
      }
    }
    return reached;
  }

  // Behind a character a match may begin anew; null: there was one.
  follow(set, c) {
    const reached = this.reach(set, c);
    return reached && this.setOf([this.start].concat(reached.filter((state) => state.set.test(c))
      .map((state) => state.to)), c);
  }

  // Whether it matches anywhere in a text; `spend` is told of work, and may throw.
  matches(text, spend) {
    let set = this.first;
    for (let at = 0; set && at < text.length; at++) {
      const { to } = set, code = text.charCodeAt(at);
      if (to[code] === undefined) {
        spend(10 + set.list.length);
        to[code] = this.follow(set, text[at]);
        if (this.known.size > SETS_KNOWN) {
          this.forget();
        }
      }
      set = to[code];
    }
    return !set || set.isEnd;
  }
}

// Which of many texts a pattern matches: {found: Uint8Array, error}, which says why it cannot be told.
function searchTexts(text, texts, budget) {
  const found = new Uint8Array(texts.length);
  let left = budget;
  const spend = (work) => (left -= work) >= 0 || refuse('takes too long');
  try {
    const pattern = new Pattern(text);
    texts.forEach((one, i) => { found[i] = pattern.matches(one, spend); });
    return { found, error: '' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    return { found: found.fill(0), error: error.message };
  }
}
