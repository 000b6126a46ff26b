// Exceptions of tests as values for reports.
'use strict';

const DEPTH_MAX = 16;
const MEMBERS_MAX = 1000;
const TEXT_MAX = 65536;

const cut = (text) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}...` : text);

// Returns a value that JSON can hold, cut off where it is deep or long.
function plain(value, depth = 0) {
  if (typeof value === 'string') {
    return cut(value);
  }
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) {
    return value;
  }
  if (typeof value !== 'object') {
    return value === undefined ? undefined : cut(String(value));
  }
  if (depth >= DEPTH_MAX) {
    return '...';
  }
  if (typeof value.toJSON === 'function') {
    const json = value.toJSON();
    return json !== null && typeof json === 'object' ? '...' : plain(json, depth + 1);
  }
  if (Array.isArray(value)) {
    return value.slice(0, MEMBERS_MAX).map((member) => plain(member, depth + 1));
  }
  const names = Object.keys(value).slice(0, MEMBERS_MAX);
  return Object.fromEntries(names.map((name) => [name, plain(value[name], depth + 1)]));
}

// Returns the result of a function, or undefined if it throws: an exception may have hostile members.
function attempt(run) {
  try {
    return run();
  } catch (error) {
    return undefined;
  }
}

// Returns the frames of a stack, without those of the API's own modules.
function framesOf(stack) {
  return stack.split('\n').filter((line) => /^\s*at /.test(line) && !/^\s*at .*\(?(persea:|native\))/.test(line));
}

// Returns name, message and stack of an exception, with its own members.
function describe(thrown) {
  if (thrown === null || typeof thrown !== 'object') {
    const message = cut(attempt(() => String(thrown)) || typeof thrown);
    return { message, stack: message };
  }
  const facts = {};
  for (const name of Object.keys(thrown)) {
    facts[name] = attempt(() => plain(thrown[name]));
  }
  const name = attempt(() => String(thrown.name)) || 'Error';
  const message = cut(attempt(() => String(thrown.message)) || '');
  const calls = framesOf(attempt(() => String(thrown.stack || '')) || '');
  const head = message === '' ? name : `${name}: ${message}`;
  // The first line says what happened, the others where.
  return { ...facts, name, message, stack: cut([head, ...calls].join('\n')) };
}

module.exports = { describe };
