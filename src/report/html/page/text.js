// Numbers and names as people read them, as src/report/text/text_estimate.c and src/base/utf8.c write them; and
// elements, whose texts are never read as HTML.
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029\u2060-\u206f\u{e0000}-\u{e007f}\p{Noncharacter_Code_Point}]/gu;
// Characters, but where a function is looked at alone.
const LONGEST_NAME = 400;

// What nobody sees, or what changes how other characters are shown, as what it is.
function safeText(text) {
  return text.replace(UNSAFE, (c) => {
    const code = c.codePointAt(0).toString(16).toUpperCase();
    return c <= '\u007f' ? `\\x${code.padStart(2, '0')}` : `\\u{${code.padStart(4, '0')}}`;
  });
}

// No more than so many characters, of which none is half of one.
function cutText(text, most = LONGEST_NAME) {
  return text.length > most ? `${safeText(text.slice(0, most).replace(/[\ud800-\udbff]$/, ''))}\u2026` : safeText(text);
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }).format;

function unitPower(bytes) {
  let power = 0;
  while (power < UNITS.length - 1 && abs(bytes) >= 1023.95 * 1024 ** power) {
    power++;
  }
  return power;
}

function valueText(value, kind) {
  const power = unitPower(value);
  return isNaN(value) ? 'not known' : kind === 'bytes' ? `${(value / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}` : grouped(value);
}

// In units of 1024^power bytes, or in objects.
function scaleOf(value, longer, high, kind) {
  if (kind !== 'bytes') {
    return { unit: '', by: 1, decimals: 0 };
  }
  let power = unitPower(value), decimals = power > 0 ? 3 : 0;
  while (high / 1024 ** power > 9999 && power < unitPower(high)) {
    power++;
  }
  while (decimals > 0 && ceil(longer / 1024 ** power * 10 ** decimals) >= 100) {
    decimals--;
  }
  return { unit: ` ${UNITS[power]}`, by: 1024 ** power, decimals };
}

// {value, interval}: "73.5 MiB" and "\u00b1 4.9 MiB", or "0.37 \u2026 1.40 MiB"; "" if none is known.
function estimateText({ value, low, high }, kind) {
  const short = valueText(value, kind);
  if (isNaN(high)) {
    return { value: short, interval: low > 0 ? `${valueText(low, kind)} or more` : '' };
  }
  const below = max(value - low, 0), above = max(high - value, 0), longer = max(below, above);
  if (!(longer > 0) || value === 0) {
    return { value: short, interval: '' };
  }
  const { unit, by, decimals } = scaleOf(value, longer, high, kind), ten = 10 ** decimals;
  const put = (digits) => (kind === 'bytes' ? (digits / ten).toFixed(decimals) : grouped(digits));
  const digits = Math.round(value / by * ten), text = put(digits) + unit;
  if (longer <= min(below, above) * 1.25 && longer <= value) {
    const half = ceil(max(digits - low / by * ten, high / by * ten - digits));
    return { value: text, interval: `\u00b1 ${put(half)}${unit}` };
  }
  return { value: text, interval: `${put(floor(low / by * ten))} \u2026 ${put(ceil(high / by * ten))}${unit}` };
}

function shareText(part, all) {
  return all > 0 ? `${(100 * part / all).toFixed(1)}%` : '';
}

// --- elements -----------------------------------------------------------------------------------------

// make('td', { class: 'number', onclick: f }, 'text', element...)
function make(tag, attributes, ...children) { return fill(document.createElement(tag), attributes, children); }

function fill(element, attributes, children = []) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(key.slice(2), value);
    } else if (value !== false && value !== null) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children);
  return element;
}

function pushButton(text, onclick, attributes) {
  return make('button', { type: 'button', onclick, ...attributes }, text);
}

function makeTable(attributes, head, body) {
  return make('table', attributes, make('thead', {}, make('tr', {}, ...head.map((text) => make('th', { scope: 'col' }, text)))), body);
}

const byId = (id) => document.getElementById(id);
