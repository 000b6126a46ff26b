// Documents by their identifiers: the requests that collections and the database share.
'use strict';

const { send, exchange, failure, query } = require('persea/connection');
const { make, ArangoError } = require('persea/error');

const WRITE_OPTIONS = ['waitForSync', 'returnNew', 'returnOld', 'silent', 'overwrite', 'overwriteMode', 'keepNull',
  'mergeObjects', 'versionAttribute', 'refillIndexCaches', 'isRestore'];

// Returns the parameters of a write. `overwrite` of a change means that revisions are ignored.
function parameters(options, isInsert) {
  const chosen = {};
  for (const name of WRITE_OPTIONS) {
    if (options[name] !== undefined && (isInsert || name !== 'overwrite')) {
      chosen[name] = options[name];
    }
  }
  return chosen;
}

// Splits what a caller gives for a document: a key, an identifier or an object with one of them.
function selector(collection, given) {
  if (typeof given === 'string' || typeof given === 'number') {
    return split(collection, String(given));
  }
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw make('ERROR_ARANGO_DOCUMENT_HANDLE_BAD');
  }
  if (typeof given._id === 'string') {
    return { ...split(collection, given._id), revision: given._rev };
  }
  if (typeof given._key === 'string' && collection !== undefined) {
    return { collection, key: given._key, revision: given._rev };
  }
  throw make('ERROR_ARANGO_DOCUMENT_HANDLE_BAD');
}

function split(collection, text) {
  const slash = text.indexOf('/');
  if (text === '' || slash === 0 || slash === text.length - 1 || text.indexOf('/', slash + 1) !== -1) {
    throw make('ERROR_ARANGO_DOCUMENT_HANDLE_BAD');
  }
  if (slash === -1) {
    if (collection === undefined) {
      throw make('ERROR_ARANGO_DOCUMENT_HANDLE_BAD');
    }
    return { collection, key: text };
  }
  const name = text.slice(0, slash);
  if (collection !== undefined && name !== collection) {
    throw make('ERROR_ARANGO_CROSS_COLLECTION_REQUEST');
  }
  return { collection: name, key: text.slice(slash + 1) };
}

function path(where) {
  return `/_api/document/${encodeURIComponent(where.collection)}/${encodeURIComponent(where.key)}`;
}

// Returns the headers of a request: those of a transaction, and the revision that is expected.
function conditions(where, headers, ignoresRevision) {
  if (where.revision === undefined || ignoresRevision) {
    return headers;
  }
  return { ...headers, 'if-match': `"${where.revision}"` };
}

function readHeaders(options, headers) {
  return options && options.allowDirtyReads ? { ...headers, 'x-arango-allow-dirty-read': 'true' } : headers;
}

function document(collection, given, options, headers) {
  const where = selector(collection, given);
  return send('GET', path(where), undefined, conditions(where, readHeaders(options, headers), false));
}

function exists(collection, given, options, headers) {
  const where = selector(collection, given);
  const reply = exchange('HEAD', path(where), undefined, conditions(where, readHeaders(options, headers), false));
  if (reply.status === 404) {
    return false;
  }
  if (reply.status === 412) {
    throw make('ERROR_ARANGO_CONFLICT');
  }
  if (reply.status >= 400) {
    throw failure(reply.status, undefined);
  }
  const revision = (reply.headers.etag || '').replace(/"/g, '');
  return { _id: `${where.collection}/${where.key}`, _key: where.key, _rev: revision };
}

// Nothing is returned by a silent write, whose reply is an empty object.
function outcome(options, reply) {
  return options.silent && !Array.isArray(reply) ? true : reply;
}

function change(method, collection, given, data, options, headers) {
  const where = selector(collection, given);
  const target = path(where) + query(parameters(options, false));
  return outcome(options, send(method, target, data, conditions(where, headers, options.overwrite)));
}

// Reads the arguments behind the data: an object of options, or the older positional flags.
function optionsOf(names, given) {
  const first = given[0];
  if (first !== null && typeof first === 'object') {
    return first;
  }
  const options = {};
  names.forEach((name, index) => {
    if (given[index] !== undefined && given[index] !== null) {
      options[name] = given[index];
    }
  });
  return options;
}

module.exports = {
  WRITE_OPTIONS,
  parameters,
  selector,
  document,
  exists,
  outcome,
  optionsOf,
  isList: Array.isArray,
  replace: (collection, given, data, options, headers) => change('PUT', collection, given, data, options, headers),
  update: (collection, given, data, options, headers) => change('PATCH', collection, given, data, options, headers),
  remove: (collection, given, options, headers) => change('DELETE', collection, given, undefined, options, headers),
  ArangoError,
};
