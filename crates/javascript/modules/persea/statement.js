// Statements: a query with its bind variables and options, executed once or several times.
'use strict';

const { send } = require('persea/connection');
const { make } = require('persea/error');
const { ArangoQueryCursor } = require('persea/cursor');

// The attributes of a request for a cursor that stand beside `options`.
const MAIN_OPTIONS = ['count', 'batchSize', 'ttl', 'cache', 'memoryLimit'];

class ArangoStatement {
  constructor(data, headers) {
    const given = typeof data === 'string' ? { query: data } : data;
    if (given === null || typeof given !== 'object') {
      throw new TypeError('the query must be a string or an object with an attribute `query`');
    }
    const built = typeof given.toAQL === 'function' && given.query === undefined ? { query: given.toAQL() } : given;
    if (typeof built.query !== 'string' || built.query === '') {
      throw make('ERROR_BAD_PARAMETER', 'the query must be a non-empty string');
    }
    this._query = built.query;
    this._bindVars = { ...built.bindVars };
    this._options = { ...built.options };
    this._main = {};
    for (const name of MAIN_OPTIONS) {
      if (built[name] !== undefined) {
        this._main[name] = built[name];
      }
    }
    this._headers = headers;
  }

  bind(name, value) {
    if (name !== null && typeof name === 'object') {
      if (value !== undefined) {
        throw make('ERROR_BAD_PARAMETER', 'bind takes an object, or a name and a value');
      }
      Object.assign(this._bindVars, name);
    } else {
      this._bindVars[String(name)] = value;
    }
  }

  getBindVariables() {
    return this._bindVars;
  }

  getQuery() {
    return this._query;
  }

  setQuery(query) {
    this._query = String(query);
  }

  getOptions() {
    return this._options;
  }

  setOptions(options) {
    this._options = { ...options };
  }

  getCount() {
    return this._main.count === true;
  }

  setCount(count) {
    this._main.count = count;
  }

  getCache() {
    return this._main.cache;
  }

  setCache(cache) {
    this._main.cache = cache;
  }

  getBatchSize() {
    return this._main.batchSize;
  }

  setBatchSize(size) {
    if (Number(size) > 0) {
      this._main.batchSize = Number(size);
    }
  }

  execute(batchSize) {
    if (batchSize !== undefined) {
      this.setBatchSize(batchSize);
    }
    const body = { query: this._query, bindVars: this._bindVars, options: this._options, ...this._main };
    return new ArangoQueryCursor(send('POST', '/_api/cursor', body, this._headers, 'extra'), this._headers);
  }

  explain(options) {
    const body = { query: this._query, bindVars: this._bindVars, options: { ...this._options, ...options } };
    const { error, code, ...result } = send('POST', '/_api/explain', body, this._headers);
    return result;
  }

  parse() {
    const { error, code, ...result } = send('POST', '/_api/query', { query: this._query }, this._headers);
    return result;
  }

  toString() {
    return '[object ArangoStatement]';
  }
}

// Executes a query. `main` are the options beside `options`; without `sub` they may be both.
function run(query, bindVars, main, sub, headers) {
  if (typeof query === 'string') {
    const body = { query };
    if (bindVars !== undefined && bindVars !== null) {
      body.bindVars = bindVars;
    }
    if (main !== undefined && main !== null) {
      spread(body, main, sub);
    }
    return new ArangoQueryCursor(send('POST', '/_api/cursor', body, headers, 'extra'), headers);
  }
  // The query is an object with bind variables of its own, so the options come second.
  const statement = new ArangoStatement(query, headers);
  const options = {};
  spread(options, bindVars || {}, main);
  Object.assign(statement._options, options.options);
  for (const name of MAIN_OPTIONS) {
    if (options[name] !== undefined) {
      statement._main[name] = options[name];
    }
  }
  return statement.execute();
}

function spread(body, main, sub) {
  for (const name of MAIN_OPTIONS) {
    if (main[name] !== undefined) {
      body[name] = main[name];
    }
  }
  if (sub !== undefined && sub !== null) {
    body.options = sub;
  } else {
    const { count, batchSize, ttl, memoryLimit, ...rest } = main;
    body.options = rest;
  }
}

module.exports = { ArangoStatement, run };
