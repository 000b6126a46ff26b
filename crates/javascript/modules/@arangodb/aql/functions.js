// User-defined functions of AQL.
'use strict';

const { send, query } = require('persea/connection');
const { make } = require('persea/error');

function path(name) {
  return `/_api/aqlfunction/${encodeURIComponent(name)}`;
}

// Registers a function, or its text. Returns true if it replaces another one.
function register(name, code, isDeterministic = false) {
  if (typeof code !== 'function' && typeof code !== 'string') {
    throw make('ERROR_QUERY_FUNCTION_INVALID_CODE');
  }
  const text = String(code);
  // The text must be an expression, which a definition with a name is not.
  const body = { name, code: /^\s*\(/.test(text) ? text : `(${text.replace(/;\s*$/, '')})`, isDeterministic };
  return send('POST', '/_api/aqlfunction', body).isNewlyCreated === false;
}

function unregister(name) {
  send('DELETE', path(name));
  return true;
}

// Unregisters the functions of a namespace. Returns how many there were.
function unregisterGroup(namespace) {
  return send('DELETE', path(namespace) + '?group=true').deletedCount;
}

function toArray(namespace) {
  return send('GET', '/_api/aqlfunction' + query({ namespace })).result;
}

module.exports = { register, unregister, unregisterGroup, toArray };
