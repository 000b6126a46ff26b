// The object `arango`: the connection, for requests to any part of the HTTP API.
'use strict';

const connection = require('persea/connection');

const arango = module.exports;

// The last reply, so that its headers can be looked at.
let last;

const VELOCYPACK = 'application/x-velocypack';

// Returns the value of a body: that of JSON and of VelocyPack, a text otherwise.
function parsed(reply) {
  const type = reply.headers['content-type'] || '';
  if (type.startsWith(VELOCYPACK) && reply.body.length > 0) {
    return host.unpack(reply.body);
  }
  const text = Buffer.from(reply.body).toString();
  return type.startsWith('application/json') && text !== '' ? JSON.parse(text) : text;
}

// Returns a body as it is: a string if it is a text, bytes otherwise.
function raw(reply) {
  const bytes = Buffer.from(reply.body);
  return /^(text\/|application\/(json|x-ndjson|x-www-form-urlencoded))/.test(reply.headers['content-type'] || '') ? bytes.toString() : bytes;
}

// Returns headers that ask for VelocyPack, unless the script asks for a form itself.
function accepting(headers) {
  const names = Object.keys(headers || {}).map((name) => name.toLowerCase());
  return names.includes('accept') ? headers : { ...headers, accept: VELOCYPACK };
}

// Returns the body of a reply of any status.
function call(method, path, body, headers) {
  last = connection.exchange(method, path, body, headers);
  return method === 'HEAD' ? { code: last.status, headers: last.headers } : parsed(last);
}

// Returns status, headers and body of a reply.
function callRaw(method, path, body, headers) {
  last = connection.exchange(method, path, body, accepting(headers));
  return {
    code: last.status,
    error: last.status >= 400,
    headers: last.headers,
    body: raw(last),
    parsedBody: method === 'HEAD' ? undefined : parsed(last),
  };
}

for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
  arango[method] = (path, body, headers) => call(method, path, body, headers);
  arango[method + '_RAW'] = (path, body, headers) => callRaw(method, path, body, headers);
}
for (const method of ['GET', 'HEAD', 'OPTIONS']) {
  arango[method] = (path, headers) => call(method, path, undefined, headers);
  arango[method + '_RAW'] = (path, headers) => callRaw(method, path, undefined, headers);
}

arango.lastHttpReturnCode = () => (last === undefined ? 0 : last.status);
arango.getDatabaseName = connection.getDatabase;
arango.setDatabaseName = connection.setDatabase;
arango.getVersion = () => connection.send('GET', '/_api/version').version;
arango.getMode = () => connection.send('GET', '/_admin/status').operationMode;
arango.getRole = () => connection.send('GET', '/_admin/server/role').role;
arango.getEndpoint = host.endpoint;
arango.connectedUser = host.user;
arango.connectionHandle = host.endpoint;
arango.isConnected = () => {
  try {
    connection.send('GET', '/_api/version');
    return true;
  } catch (error) {
    return false;
  }
};

// Connects to another server, or as another user.
arango.reconnect = (endpoint, database, user, password) => {
  host.reconnect(String(endpoint), String(user), String(password || ''));
  connection.setDatabase(database);
  require('persea/collection').forget();
  connection.send('GET', '/_api/database/current');
  return true;
};

arango.toString = () => `[ArangoConnection ${host.endpoint()}]`;
