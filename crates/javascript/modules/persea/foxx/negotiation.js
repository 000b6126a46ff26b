// The choice among representations by the headers of a request (RFC 9110, section 12).
'use strict';

const { expanded } = require('persea/foxx/mime');

// Returns the parts of a header with quality: [{ value, parameters, q, order }].
function parsed(header) {
  return String(header).split(',').map((part, order) => {
    const [value, ...given] = part.split(';').map((piece) => piece.trim());
    const parameters = {};
    for (const parameter of given) {
      const [name, text = ''] = parameter.split('=').map((piece) => piece.trim());
      parameters[name.toLowerCase()] = text.replace(/^"(.*)"$/, '$1');
    }
    const q = parameters.q === undefined ? 1 : Number(parameters.q);
    delete parameters.q;
    return { value: value.toLowerCase(), parameters, q: q >= 0 && q <= 1 ? q : 0, order };
  }).filter((part) => part.value !== '');
}

// Functions that return how closely a wanted value describes an offered one; undefined if it does not.

function typeMatch({ value, parameters }, offered) {
  const [type, subtype] = value.split('/');
  const [offer, ...given] = expanded(offered).toLowerCase().split(';').map((piece) => piece.trim());
  const [offeredType, offeredSubtype] = offer.split('/');
  const names = Object.keys(parameters);
  if (!names.every((name) => given.includes(`${name}=${parameters[name].toLowerCase()}`))) {
    return undefined;
  }
  if (type !== '*' && type !== offeredType) {
    return undefined;
  }
  if (subtype !== '*' && subtype !== offeredSubtype) {
    return undefined;
  }
  return (type === '*' ? 0 : 4) + (subtype === '*' ? 0 : 2) + (names.length > 0 ? 1 : 0);
}

function nameMatch({ value }, offered) {
  return value === offered.toLowerCase() ? 1 : value === '*' ? 0 : undefined;
}

function languageMatch({ value }, offered) {
  const language = offered.toLowerCase();
  if (value === language) {
    return 4;
  }
  if (value.split('-')[0] === language) {
    return 2;
  }
  return language.split('-')[0] === value ? 1 : value === '*' ? 0 : undefined;
}

// Returns the wanted value that describes an offered one best.
function best(wanted, offered, match) {
  let found;
  for (const want of wanted) {
    const closeness = match(want, offered);
    if (closeness !== undefined && (found === undefined || closeness > found.closeness)) {
      found = { closeness, q: want.q, order: want.order };
    }
  }
  return found;
}

// Returns the preferred one of some values, or false. Without values, it returns what the client
// accepts, the preferred first.
function choose(header, given, match, implied = []) {
  const offers = Array.isArray(given[0]) ? given[0] : given;
  if (header === undefined) {
    return offers.length === 0 ? ['*'] : offers[0];
  }
  const wanted = parsed(header);
  for (const value of implied) {
    if (!wanted.some((want) => match(want, value) !== undefined)) {
      wanted.push({ value, parameters: {}, q: Math.min(1, ...wanted.map((want) => want.q || 1)), order: wanted.length });
    }
  }
  if (offers.length === 0) {
    return wanted.filter((want) => want.q > 0).sort((left, right) => right.q - left.q || left.order - right.order)
      .map((want) => want.value);
  }
  const ranked = offers
    .map((offer, index) => ({ offer, index, ...best(wanted, offer, match) }))
    .filter((rank) => rank.q > 0)
    .sort((left, right) => right.q - left.q || right.closeness - left.closeness || left.order - right.order || left.index - right.index);
  return ranked.length === 0 ? false : ranked[0].offer;
}

const types = (header, given) => choose(header, given, typeMatch);
const charsets = (header, given) => choose(header, given, nameMatch);
const encodings = (header, given) => choose(header, given, nameMatch, ['identity']);
const languages = (header, given) => choose(header, given, languageMatch);

// Returns the essence of a content type: `text/html` of `Text/HTML; charset=utf-8`.
function essence(header) {
  return String(header).split(';')[0].trim().toLowerCase();
}

// Returns true if a type is one of a pattern: `text/*`, `application/*+json`, `+json`, `*/*`.
function isOf(type, pattern) {
  const wanted = expanded(pattern).toLowerCase();
  if (wanted.startsWith('+')) {
    return type.endsWith(wanted);
  }
  const [left, right] = [type.split('/'), (wanted === 'multipart/form-data' && pattern === 'multipart' ? 'multipart/*' : wanted).split('/')];
  const isSame = (text, want) => want === '*' || want === text || (want !== undefined && want.startsWith('*+') && text.endsWith(want.slice(1)));
  return left.length === 2 && right.length === 2 && isSame(left[0], right[0]) && isSame(left[1], right[1]);
}

// Returns the first pattern that a content type is one of, the type itself for a pattern with a
// wildcard, or false.
function is(header, given) {
  const patterns = Array.isArray(given[0]) ? given[0] : given;
  const type = header === undefined ? '' : essence(header);
  if (!/^[^/\s]+\/[^/\s]+$/.test(type)) {
    return false;
  }
  if (patterns.length === 0) {
    return type;
  }
  const found = patterns.find((pattern) => isOf(type, String(pattern)));
  return found === undefined ? false : /^\+|\*/.test(found) ? type : found;
}

// Returns the ranges of a header, -1 if none can be satisfied, or -2 if it is malformed.
function range(header, size) {
  const at = header.indexOf('=');
  if (at === -1) {
    return -2;
  }
  const ranges = [];
  for (const part of header.slice(at + 1).split(',')) {
    const found = /^(\d*)-(\d*)$/.exec(part.trim());
    if (found === null || (found[1] === '' && found[2] === '')) {
      continue;
    }
    const [first, last] = [found[1], found[2]].map((text) => (text === '' ? NaN : Number(text)));
    const start = Number.isNaN(first) ? size - last : first;
    const end = Number.isNaN(first) || Number.isNaN(last) || last > size - 1 ? size - 1 : last;
    if (start >= 0 && start <= end) {
      ranges.push({ start, end });
    }
  }
  if (ranges.length === 0) {
    return -1;
  }
  ranges.type = header.slice(0, at).trim();
  return ranges;
}

module.exports = { types, charsets, encodings, languages, essence, is, isOf, range };
