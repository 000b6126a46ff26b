// Formats, inspection and inheritance, as in Node.js.
'use strict';

const { text } = require('persea/printer');

function inspect(value) {
  return typeof value === 'string' ? JSON.stringify(value) : text(value, false, false);
}

// Replaces %s, %d, %i, %f, %j, %o and %O; other values follow with spaces between them.
function format(...values) {
  if (typeof values[0] !== 'string') {
    return values.map((value) => text(value, false, false)).join(' ');
  }
  let index = 1;
  const formatted = values[0].replace(/%[sdifjoO%]/g, (place) => {
    if (place === '%%') {
      return '%';
    }
    return index < values.length ? formatted1(place, values[index++]) : place;
  });
  const rest = values.slice(index).map((value) => text(value, false, false));
  return [formatted, ...rest].join(' ');
}

function formatted1(place, value) {
  switch (place) {
    case '%s':
      return text(value, false, false);
    case '%d':
    case '%i':
      return String(typeof value === 'bigint' ? value : Math.trunc(Number(value)));
    case '%f':
      return String(Number(value));
    case '%j':
      return json(value);
    default:
      return inspect(value);
  }
}

function json(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    return '[Circular]';
  }
}

function inherits(constructor, parent) {
  constructor.super_ = parent;
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

function isDeepEqual(left, right, isStrict = true) {
  if (isStrict ? Object.is(left, right) : left == right || (left !== left && right !== right)) {
    return true;
  }
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') {
    return false;
  }
  if (isStrict && Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) {
    return false;
  }
  if (left instanceof Date && right instanceof Date) {
    return left.getTime() === right.getTime();
  }
  if (left instanceof RegExp && right instanceof RegExp) {
    return String(left) === String(right);
  }
  if ((left instanceof Map && right instanceof Map) || (left instanceof Set && right instanceof Set)) {
    return isDeepEqual(Array.from(left), Array.from(right), isStrict);
  }
  const [names, others] = [Object.keys(left), Object.keys(right)];
  const isSame = (name) => Object.prototype.hasOwnProperty.call(right, name) && isDeepEqual(left[name], right[name], isStrict);
  return names.length === others.length && Array.isArray(left) === Array.isArray(right) && names.every(isSame);
}

module.exports = {
  format,
  inspect,
  inherits,
  isDeepStrictEqual: (left, right) => isDeepEqual(left, right, true),
  isDeepEqual,
  isArray: Array.isArray,
  isBoolean: (value) => typeof value === 'boolean',
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value === null || value === undefined,
  isNumber: (value) => typeof value === 'number',
  isString: (value) => typeof value === 'string',
  isSymbol: (value) => typeof value === 'symbol',
  isUndefined: (value) => value === undefined,
  isRegExp: (value) => value instanceof RegExp,
  isObject: (value) => value !== null && typeof value === 'object',
  isDate: (value) => value instanceof Date,
  isError: (value) => value instanceof Error,
  isFunction: (value) => typeof value === 'function',
  deprecate: (callback) => callback,
  debuglog: () => () => {},
  promisify: (callback) => (...values) => new Promise((resolve, reject) => {
    callback(...values, (error, result) => (error ? reject(error) : resolve(result)));
  }),
};
