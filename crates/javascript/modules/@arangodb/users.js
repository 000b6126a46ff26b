// Users and their rights.
'use strict';

const { send, exchange, failure } = require('persea/connection');

function path(user) {
  return `/_api/user/${encodeURIComponent(user)}`;
}

// Returns the path of the rights of a user: all, in a database, or in a collection.
function rights(user, ...place) {
  return [path(user), 'database', ...place.map(encodeURIComponent)].join('/');
}

function facts({ user, active, extra }) {
  return { user, active, extra };
}

// Returns the attributes that are given.
function body(passwd, active, extra) {
  return { passwd, active, extra };
}

function save(user, passwd = '', active = true, extra = {}) {
  return facts(send('POST', '/_api/user', { user, ...body(passwd, active, extra) }));
}

function replace(user, passwd = '', active = true, extra = {}) {
  return facts(send('PUT', path(user), body(passwd, active, extra)));
}

function update(user, passwd, active, extra) {
  return facts(send('PATCH', path(user), body(passwd, active, extra)));
}

function remove(user) {
  send('DELETE', path(user));
}

function document(user) {
  return facts(send('GET', path(user)));
}

function all() {
  return send('GET', '/_api/user').result.map(facts);
}

function exists(user) {
  return all().some((known) => known.user === user);
}

// Returns true if a password is that of a user.
function isValid(username, password) {
  let { status } = exchange('POST', '/_open/auth', { username, password });
  if (status === 404) {
    // The server has no authentication, so there is nothing to log in to.
    ({ status } = exchange('POST', path(username), { passwd: password }));
  }
  if (status !== 200 && status !== 401) {
    throw failure(status, undefined);
  }
  return status === 200;
}

function grantDatabase(user, database, grant = 'rw') {
  send('PUT', rights(user, database), { grant });
}

function revokeDatabase(user, database) {
  send('DELETE', rights(user, database));
}

function grantCollection(user, database, collection, grant = 'rw') {
  send('PUT', rights(user, database, collection), { grant });
}

function revokeCollection(user, database, collection) {
  send('DELETE', rights(user, database, collection));
}

// Returns the access to a database or collection; without one, to all databases.
function permission(user, ...place) {
  const target = rights(user, ...place.filter((name) => name !== undefined));
  return send('GET', target).result;
}

function permissionFull(user) {
  return send('GET', rights(user) + '?full=true').result;
}

// The server reads its users from the store at each change, so that there is nothing to reload.
function reload() {}

module.exports = {
  save, replace, update, remove, document, all, exists, isValid, grantDatabase, revokeDatabase, grantCollection,
  revokeCollection, permission, permissionFull, reload,
};
