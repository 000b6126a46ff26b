// Domain names with letters beyond ASCII: RFC 3492, as in Node.js.
'use strict';

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;
const PREFIX = 'xn--';

// The signs that end a label of a domain name.
const DOTS = /[.\u3002\uff0e\uff61]/g;

function adapted(delta, points, isFirst) {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) {
    rest = Math.floor(rest / (BASE - T_MIN));
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

function threshold(k, bias) {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX);
}

// Returns the value of a digit; BASE if it is none.
function digitOf(code) {
  if (code >= 0x30 && code <= 0x39) {
    return code - 0x30 + 26;
  }
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x61 : BASE;
}

function signOf(digit) {
  return String.fromCharCode(digit < 26 ? digit + 0x61 : digit - 26 + 0x30);
}

function decode(text) {
  const end = Math.max(text.lastIndexOf('-'), 0);
  const points = Array.from(text.slice(0, end), (sign) => sign.codePointAt(0));
  if (points.some((point) => point >= INITIAL_N)) {
    throw new RangeError('the text has a character that is not ASCII');
  }
  let [n, i, bias] = [INITIAL_N, 0, INITIAL_BIAS];
  for (let at = end > 0 ? end + 1 : 0; at < text.length; ++i) {
    const before = i;
    for (let w = 1, k = BASE; ; k += BASE) {
      const digit = at < text.length ? digitOf(text.charCodeAt(at++)) : BASE;
      i += digit * w;
      if (digit >= BASE || i > 0x7fffffff) {
        throw new RangeError('the text is not Punycode');
      }
      const t = threshold(k, bias);
      if (digit < t) {
        break;
      }
      w *= BASE - t;
    }
    const count = points.length + 1;
    bias = adapted(i - before, count, before === 0);
    n += Math.floor(i / count);
    i %= count;
    points.splice(i, 0, n);
  }
  return String.fromCodePoint(...points);
}

function encode(text) {
  const points = Array.from(text, (sign) => sign.codePointAt(0));
  const basic = points.filter((point) => point < INITIAL_N);
  let result = String.fromCharCode(...basic) + (basic.length > 0 ? '-' : '');
  let [n, delta, bias, done] = [INITIAL_N, 0, INITIAL_BIAS, basic.length];
  while (done < points.length) {
    const next = points.reduce((least, point) => (point >= n && point < least ? point : least), Infinity);
    delta += (next - n) * (done + 1);
    n = next;
    for (const point of points) {
      if (point < n) {
        ++delta;
      } else if (point === n) {
        result += number(delta, bias);
        bias = adapted(delta, done + 1, done === basic.length);
        delta = 0;
        ++done;
      }
    }
    ++delta;
    ++n;
  }
  return result;
}

// Returns a number with digits whose weights depend on the bias.
function number(value, bias) {
  let text = '';
  let rest = value;
  for (let k = BASE; ; k += BASE) {
    const t = threshold(k, bias);
    if (rest < t) {
      return text + signOf(rest);
    }
    text += signOf(t + ((rest - t) % (BASE - t)));
    rest = Math.floor((rest - t) / (BASE - t));
  }
}

// Changes each label of a domain name, also of the one in an address of mail.
function byLabel(domain, change) {
  const at = domain.lastIndexOf('@') + 1;
  return domain.slice(0, at) + domain.slice(at).replace(DOTS, '.').split('.').map(change).join('.');
}

module.exports = {
  decode,
  encode,
  toASCII: (domain) => byLabel(domain, (label) => (/[^\0-\x7f]/.test(label) ? PREFIX + encode(label) : label)),
  toUnicode: (domain) =>
    byLabel(domain, (label) => (label.startsWith(PREFIX) ? decode(label.slice(PREFIX.length).toLowerCase()) : label)),
  ucs2: {
    decode: (text) => Array.from(text, (sign) => sign.codePointAt(0)),
    encode: (points) => String.fromCodePoint(...points),
  },
};
