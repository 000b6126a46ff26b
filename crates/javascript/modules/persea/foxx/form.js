// Names and values in the notation of forms: `a=1&b[]=2`.
'use strict';

// Decodes a text. One with a bad percent escape stays as it is.
function decoded(text) {
  const plain = text.includes('+') ? text.replace(/\+/g, ' ') : text;
  if (!plain.includes('%')) {
    return plain;
  }
  try {
    return decodeURIComponent(plain);
  } catch (error) {
    return plain;
  }
}

function put(object, name, value) {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  } else {
    object[name] = value;
  }
}

const has = (object, name) => Object.prototype.hasOwnProperty.call(object, name);

// Returns the values of a text by their names. `name[]` makes an array; another name that comes again
// makes one if `repeats` is true, else its last value counts.
function parse(text, repeats) {
  const values = {};
  const lists = new Set();
  for (const part of text.split('&')) {
    if (part === '') {
      continue;
    }
    const at = part.indexOf('=');
    const value = at === -1 ? '' : decoded(part.slice(at + 1));
    let name = decoded(at === -1 ? part : part.slice(0, at));
    const isList = name.length > 2 && name.endsWith('[]');
    name = isList ? name.slice(0, -2) : name;
    if (lists.has(name)) {
      values[name].push(value);
    } else if (isList || (repeats && has(values, name))) {
      put(values, name, has(values, name) && repeats ? [values[name], value] : [value]);
      lists.add(name);
    } else {
      put(values, name, value);
    }
  }
  return values;
}

// Returns the text of values. Nested ones have the notation `a[b]=1`.
function stringify(values) {
  const parts = [];
  const visit = (value, name, depth) => {
    if (value !== null && typeof value === 'object' && depth < 32) {
      const isList = Array.isArray(value);
      for (const key of Object.keys(value)) {
        visit(value[key], name === '' ? key : `${name}[${isList ? '' : key}]`, depth + 1);
      }
    } else if (value !== undefined) {
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value === null ? '' : String(value).toWellFormed())}`);
    }
  };
  visit(values, '', 0);
  return parts.join('&');
}

module.exports = { parse, stringify };
