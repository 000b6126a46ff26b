// The change log: what happens to documents and definitions.
'use strict';

const { send } = require('persea/connection');
const { make } = require('persea/error');

// The longest wait of one request of a watch, in seconds. Requests follow each other.
const WAIT = 10;

// The options of one read, and those of a watch.
const READ = ['since', 'collections', 'filter', 'bindVars', 'limit', 'initial', 'timeout', 'format', 'global'];
const WATCH = ['since', 'filter', 'bindVars', 'limit', 'initial', 'timeout'];

function checked(options, known) {
  if (options === undefined || options === null) {
    return {};
  }
  if (typeof options !== 'object') {
    throw make('ERROR_BAD_PARAMETER', 'the options must be an object');
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw make('ERROR_BAD_PARAMETER', `unknown option '${unknown}': expecting ${known.join(', ')}`);
  }
  return options;
}

// Returns the names of collections, which may be given as objects.
function namesOf(collections) {
  const nameOf = (given) => (given !== null && typeof given === 'object' && typeof given.name === 'function' ? given.name() : given);
  return Array.isArray(collections) ? collections.map(nameOf) : nameOf(collections);
}

// Returns true for the mark behind the present documents, in any format.
function isReady(change) {
  const { operation, source, type } = change;
  return operation === 'ready' || type === 'persea.ready' || (source !== null && typeof source === 'object' && source.operation === 'ready');
}

// Reads changes once: `{ changes, token, hasMore }`.
function read(options) {
  const body = { ...checked(options, READ) };
  if (body.collections !== undefined) {
    body.collections = namesOf(body.collections);
  }
  const { changes, token, hasMore } = send('POST', '/_api/changes', body);
  if (body.initial && !changes.some(isReady)) {
    throw make('ERROR_RESOURCE_LIMIT', 'the present documents are too large for one reply: read them as NDJSON from /_api/changes');
  }
  return { changes, token, hasMore };
}

// The changes of a collection, which are waited for.
class ArangoChanges {
  constructor(collection, options) {
    const { limit, timeout, since, initial, ...rest } = checked(options, WATCH);
    this._options = { ...rest, collections: [collection] };
    this._left = limit === undefined ? Infinity : Number(limit);
    this._timeout = timeout === undefined ? Infinity : Number(timeout);
    if (!(this._left >= 0) || !(this._timeout >= 0)) {
      throw make('ERROR_BAD_PARAMETER', "'limit' and 'timeout' must be numbers that are not negative");
    }
    // The first request says where `now` is.
    this._take(read({ ...this._options, since, initial }));
    this._token = initial || this._changes.length > 0 ? undefined : this._end;
  }

  // The position behind the last change that was taken; undefined before the first one.
  get token() {
    return this._token;
  }

  // Waits for the next change. Returns false if the limit or the time has ended.
  hasNext() {
    const deadline = Date.now() + this._timeout * 1000;
    while (this._left > 0 && this._index >= this._changes.length) {
      const rest = Math.max(0, deadline - Date.now()) / 1000;
      if (rest === 0 && !this._hasMore) {
        return false;
      }
      this._take(read({ ...this._options, since: this._end, timeout: Math.min(WAIT, rest) }));
      if (this._changes.length === 0) {
        this._token = this._end;
      }
    }
    return this._left > 0;
  }

  // Waits for the next change, and returns it; undefined at the end.
  next() {
    if (!this.hasNext()) {
      return undefined;
    }
    const change = this._changes[this._index];
    this._changes[this._index] = undefined;
    this._index += 1;
    this._left -= 1;
    if (change.token !== undefined) {
      this._token = change.token;
    }
    return change;
  }

  *[Symbol.iterator]() {
    while (this.hasNext()) {
      yield this.next();
    }
  }

  _take({ changes, token, hasMore }) {
    this._changes = changes;
    this._index = 0;
    this._end = token;
    this._hasMore = hasMore;
  }

  toString() {
    return '[object ArangoChanges]';
  }
}

// Calls `callback` with each change of a collection until it returns false; returns the token
// behind the last one. Without a callback, returns the changes.
function watch(collection, options, callback) {
  const [chosen, visit] = typeof options === 'function' ? [undefined, options] : [options, callback];
  if (visit !== undefined && typeof visit !== 'function') {
    throw make('ERROR_BAD_PARAMETER', 'the callback must be a function');
  }
  const changes = new ArangoChanges(collection, chosen);
  if (visit === undefined) {
    return changes;
  }
  while (changes.hasNext()) {
    if (visit(changes.next()) === false) {
      break;
    }
  }
  return changes.token;
}

module.exports = { ArangoChanges, read, watch };
