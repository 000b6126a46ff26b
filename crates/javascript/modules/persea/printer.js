// Values as text, as the prompt and `print` show them.
'use strict';

const PLAIN = { string: '', number: '', boolean: '', null: '', undefined: '', key: '', other: '', end: '' };
const COLORS = {
  string: '\x1b[32m', number: '\x1b[33m', boolean: '\x1b[36m', null: '\x1b[35m', undefined: '\x1b[35m',
  key: '\x1b[1m', other: '\x1b[34m', end: '\x1b[0m',
};

const state = { isPretty: host.isPretty(), hasColors: host.hasColors() };

function colored(palette, kind, text) {
  return palette[kind] + text + palette.end;
}

// Returns a value inside of an object or array. `indent` is undefined for a single line.
function inner(value, palette, indent, above) {
  switch (typeof value) {
    case 'string':
      return colored(palette, 'string', JSON.stringify(value));
    case 'number':
      return colored(palette, 'number', Object.is(value, -0) ? '-0' : String(value));
    case 'bigint':
      return colored(palette, 'number', String(value));
    case 'boolean':
      return colored(palette, 'boolean', String(value));
    case 'undefined':
      return colored(palette, 'undefined', 'undefined');
    case 'symbol':
      return colored(palette, 'other', String(value));
    case 'function':
      return colored(palette, 'other', functionText(value, above.length));
    default:
      return value === null ? colored(palette, 'null', 'null') : object(value, palette, indent, above);
  }
}

function functionText(value, depth) {
  if (depth === 0) {
    return String(value);
  }
  return /^class\b/.test(String(value)) ? `[Class ${value.name}]` : `[Function "${value.name}" ...]`;
}

function object(value, palette, indent, above) {
  if (above.includes(value)) {
    return colored(palette, 'other', '<circular>');
  }
  const short = shortForm(value);
  if (short !== undefined) {
    return colored(palette, 'other', short);
  }
  const within = above.concat([value]);
  const deeper = indent === undefined ? undefined : indent + '  ';
  if (Array.isArray(value)) {
    const parts = Array.from(value, (element) => inner(element, palette, deeper, within));
    return block('[', parts, ']', indent, deeper);
  }
  const parts = Object.keys(value).map((name) => {
    const key = colored(palette, 'key', JSON.stringify(name));
    return `${key} : ${inner(value[name], palette, deeper, within)}`;
  });
  return block(title(value), parts, '}', indent, deeper);
}

// Returns the short form of an object that is more than its attributes.
function shortForm(value) {
  if (value instanceof Error) {
    return typeof value.errorNum === 'number' ? `[ArangoError ${value.errorNum}: ${value.message}]` : `[${value}]`;
  }
  if (value instanceof Date) {
    return isNaN(value) ? 'Invalid Date' : value.toISOString();
  }
  if (value instanceof RegExp) {
    return String(value);
  }
  if (value instanceof Map || value instanceof Set) {
    return `[${value.constructor.name} of ${value.size}]`;
  }
  if (ArrayBuffer.isView(value)) {
    return value.inspect === undefined ? `[${value.constructor.name} of ${value.length}]` : value.inspect();
  }
  if (value instanceof Promise) {
    return '[object Promise]';
  }
  // Classes of the API say themselves what they are.
  const isPlain = value.toString === Object.prototype.toString || typeof value.toString !== 'function';
  return isPlain || Array.isArray(value) ? undefined : ownText(value);
}

function ownText(value) {
  try {
    const text = value.toString();
    return typeof text === 'string' ? text : undefined;
  } catch (error) {
    return undefined;
  }
}

function title(value) {
  const prototype = Object.getPrototypeOf(value);
  const made = prototype && prototype.constructor;
  const name = typeof made === 'function' && made !== Object ? made.name : '';
  return name === '' ? '{' : `{[${name}]`;
}

function block(open, parts, close, indent, deeper) {
  if (parts.length === 0) {
    return `${open} ${close}`;
  }
  if (indent === undefined) {
    return `${open} ${parts.join(', ')} ${close}`;
  }
  return `${open} \n${parts.map((part) => deeper + part).join(', \n')} \n${indent}${close}`;
}

// Returns the text of a value: strings as they are, others as literals.
function text(value, isPretty = state.isPretty, hasColors = state.hasColors) {
  if (typeof value === 'string') {
    return value;
  }
  const preview = cursorText(value, isPretty, hasColors);
  return preview !== undefined ? preview : inner(value, hasColors ? COLORS : PLAIN, isPretty ? '' : undefined, []);
}

// Shows the rows of a cursor that are here already.
function cursorText(value, isPretty, hasColors) {
  if (value === null || typeof value !== 'object' || typeof value._fetch !== 'function') {
    return undefined;
  }
  const rows = value._rows.slice(value._index, value._index + 10);
  const count = value._count === undefined ? '' : `count: ${value._count}, `;
  const head = `[object ArangoQueryCursor, ${count}cached: ${value._cached}, hasMore: ${value._hasMore}]`;
  if (rows.length === 0) {
    return head;
  }
  const left = value._rows.length - value._index - rows.length;
  const more = left > 0 || value._hasMore ? '\n\nMore rows are available: use next(), toArray(), or a loop over the cursor' : '';
  return `${head}\n\n${text(rows, isPretty, hasColors)}${more}`;
}

function print(...values) {
  host.print(values.map((value) => text(value)).join(' ') + '\n');
}

module.exports = { state, text, print };
