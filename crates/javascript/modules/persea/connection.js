// Requests to the HTTP API.
'use strict';

const { ArangoError } = require('persea/error');

let database = host.database();
// The stream transaction that requests belong to, while one runs by `within`.
let transaction;

// Returns the error that a reply reports.
function failure(status, body) {
  if (body !== null && typeof body === 'object' && body.errorNum !== undefined) {
    return new ArangoError(body);
  }
  const text = typeof body === 'string' ? body : undefined;
  return new ArangoError({ errorNum: status, code: status, errorMessage: text || `the server answered with status ${status}` });
}

// Adds the transaction to the headers of a request.
function withTransaction(headers) {
  return transaction === undefined ? headers : { ...headers, 'x-arango-trx-id': transaction };
}

// Calls a function whose requests are parts of a stream transaction.
function within(id, run) {
  transaction = id;
  try {
    return run();
  } finally {
    transaction = undefined;
  }
}

// Sends a request and returns the body of its reply. Errors of the server are thrown.
//
// The attribute `packed` may come as it was sent, for `host.unpack`.
function send(method, path, body, headers, packed) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const reply = host.request(method, database, path, withTransaction(headers), text, packed);
  if (reply[0] >= 400) {
    throw failure(reply[0], reply[1]);
  }
  return reply[1];
}

// Sends a request to another database than the present one.
function sendTo(database, method, path) {
  const reply = host.request(method, database, path, withTransaction());
  if (reply[0] >= 400) {
    throw failure(reply[0], reply[1]);
  }
  return reply[1];
}

// Sends a request and returns the body of its reply, or undefined if the status is `absent`.
function sendUnless(absent, method, path, body, headers) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const reply = host.request(method, database, path, withTransaction(headers), text);
  if (reply[0] === absent) {
    return undefined;
  }
  if (reply[0] >= 400) {
    throw failure(reply[0], reply[1]);
  }
  return reply[1];
}

// Sends a request and returns status, headers and bytes of its reply.
function exchange(method, path, body, headers) {
  const other = /^\/_db\/([^/]+)(\/.*)$/.exec(path);
  if (other !== null) {
    // The path names its database, which is then not the current one.
    return host.exchange(method, decodeURIComponent(other[1]), other[2], headers, bytesOf(body));
  }
  return host.exchange(method, database, path, headers, bytesOf(body));
}

// Returns the body of a request: texts and bytes as they are, other values as JSON.
function bytesOf(body) {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

// Returns a query string with the options that are not undefined.
function query(options) {
  let text = '';
  for (const name in options) {
    const value = options[name];
    if (value !== undefined) {
      text += (text === '' ? '?' : '&') + name + '=' + encodeURIComponent(value);
    }
  }
  return text;
}

module.exports = {
  send,
  sendTo,
  sendUnless,
  exchange,
  failure,
  query,
  within,
  getDatabase: () => database,
  setDatabase(name) {
    database = name;
  },
};
