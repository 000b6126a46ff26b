// The cursors of `collection.all()` and `collection.byExample()`: queries that are built step by
// step and sent when the first row is asked for.
'use strict';

const { make } = require('persea/error');
const { run } = require('persea/statement');

// Returns the conditions of an example, in AQL, and their bind variables.
function conditions(example, variable) {
  const bindVars = {};
  const texts = Object.keys(example).map((name, number) => {
    const path = name.split('.').map((_, part) => `[@p${number}_${part}]`).join('');
    name.split('.').forEach((part, index) => {
      bindVars[`p${number}_${index}`] = part;
    });
    bindVars[`v${number}`] = example[name];
    return `${variable}${path} == @v${number}`;
  });
  return { text: texts.length === 0 ? '' : `FILTER ${texts.join(' AND ')}`, bindVars };
}

// Reads an example: an object, or paths and values one after the other.
function exampleOf(given) {
  if (given.length === 0) {
    return {};
  }
  if (given.length === 1) {
    if (given[0] === null || typeof given[0] !== 'object' || Array.isArray(given[0])) {
      throw make('ERROR_BAD_PARAMETER', 'the example must be an object, or paths and values');
    }
    return given[0];
  }
  if (given.length % 2 !== 0) {
    throw make('ERROR_BAD_PARAMETER', 'a path of the example has no value');
  }
  const example = {};
  for (let index = 0; index < given.length; index += 2) {
    example[given[index]] = given[index + 1];
  }
  return example;
}

class SimpleQuery {
  constructor(collection, example, headers) {
    this._collection = collection;
    this._example = example;
    this._headers = headers;
    this._skip = 0;
    this._limit = undefined;
    this._batchSize = undefined;
    this._cursor = undefined;
  }

  skip(count) {
    this._checkUnsent();
    this._skip += Number(count);
    return this;
  }

  limit(count) {
    this._checkUnsent();
    this._limit = Math.min(this._limit === undefined ? Infinity : this._limit, Number(count));
    return this;
  }

  setBatchSize(size) {
    this._batchSize = size;
    return this;
  }

  execute(batchSize) {
    if (this._cursor === undefined) {
      const { text, bindVars } = conditions(this._example, 'd');
      const limit = this._limit === undefined ? 1e15 : this._limit;
      const isLimited = this._skip > 0 || this._limit !== undefined;
      const query = `FOR d IN @@collection ${text} ${isLimited ? 'LIMIT @skip, @limit' : ''} RETURN d`;
      bindVars['@collection'] = this._collection;
      if (isLimited) {
        bindVars.skip = this._skip;
        bindVars.limit = limit;
      }
      const main = { count: true, batchSize: batchSize === undefined ? this._batchSize : batchSize };
      this._cursor = run(query, bindVars, main, { fullCount: isLimited }, this._headers);
    }
    return this._cursor;
  }

  hasNext() {
    return this.execute().hasNext();
  }

  next() {
    return this.execute().next();
  }

  toArray() {
    return this.execute().toArray();
  }

  forEach(callback) {
    this.execute().forEach(callback);
  }

  [Symbol.iterator]() {
    return this.execute()[Symbol.iterator]();
  }

  // The number of matching documents; with `true`, after skip and limit.
  count(isLimited) {
    const cursor = this.execute();
    const stats = cursor.getExtra().stats || {};
    return isLimited || stats.fullCount === undefined ? cursor.count() : stats.fullCount;
  }

  getExtra() {
    return this.execute().getExtra();
  }

  dispose() {
    if (this._cursor !== undefined) {
      this._cursor.dispose();
    }
  }

  toString() {
    return `SimpleQuery(${this._collection})`;
  }

  _checkUnsent() {
    if (this._cursor !== undefined) {
      throw make('ERROR_BAD_PARAMETER', 'the query has been sent; skip and limit come before that');
    }
  }
}

module.exports = { SimpleQuery, conditions, exampleOf };
