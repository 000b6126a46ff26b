// Replication from an ArangoDB server, as its routes have it. The server says what it does not have.
'use strict';

const arango = require('persea/arango');
const { failure, send, sendUnless } = require('persea/connection');

// The longest pause between two questions whether a copy is made, in seconds.
const PAUSE_MAX = 1;

function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}

// Returns the functions of the applier of the current database, or of all databases.
function applierOf(global) {
  const call = (method, action, body, parameters) =>
    send(method, `/_api/replication/${action}${query({ global, ...parameters })}`, body);
  return {
    start: (from, barrierId) => call('PUT', 'applier-start', undefined, { from, barrierId }),
    stop: () => call('PUT', 'applier-stop'),
    shutdown: () => call('PUT', 'applier-stop'),
    state: () => call('GET', 'applier-state'),
    stateAll: () => call('GET', 'applier-state-all'),
    forget: () => call('DELETE', 'applier-state'),
    properties: (changes) =>
      changes === undefined ? call('GET', 'applier-config') : call('PUT', 'applier-config', changes),
  };
}

const logger = {
  state: () => send('GET', '/_api/replication/logger-state'),
  tickRanges: () => send('GET', '/_api/replication/logger-tick-ranges'),
  firstTick: () => send('GET', '/_api/replication/logger-first-tick').firstTick,
};

// Begins a copy as a job of the server, whose number it returns.
function beginSync(config, parameters) {
  const path = `/_api/replication/sync${query(parameters)}`;
  const { code, headers, parsedBody } = arango.PUT_RAW(path, config, { 'x-arango-async': 'store' });
  const id = headers['x-arango-async-id'];
  if (id === undefined) {
    throw failure(code, parsedBody);
  }
  return id;
}

// Returns the outcome of a copy, or false while it is made.
function getSyncResult(id) {
  const result = sendUnless(204, 'PUT', `/_api/job/${encodeURIComponent(id)}`);
  return result === undefined ? false : result;
}

// Copies another server once. Unless `async` is set, it returns when the copy is made. No request
// lasts as long as the copy.
function synchronize(config, parameters) {
  const { async: isAsync, ...rest } = config;
  const id = beginSync(rest, parameters);
  let result = isAsync ? id : getSyncResult(id);
  for (let pause = 0.01; result === false; pause = Math.min(2 * pause, PAUSE_MAX)) {
    host.sleep(pause);
    result = getSyncResult(id);
  }
  return result;
}

const sync = (config) => synchronize(config, {});
const syncGlobal = (config) => synchronize(config, { global: true });
const syncCollection = (name, config) =>
  synchronize({ ...config, includeSystem: true, restrictType: 'include', restrictCollections: [name] }, {});
const setupReplication = (config) => send('PUT', '/_api/replication/make-follower', config);
const setupReplicationGlobal = (config) => send('PUT', '/_api/replication/make-follower?global=true', config);
const serverId = () => send('GET', '/_api/replication/server-id').serverId;

module.exports = {
  applier: applierOf(undefined), globalApplier: applierOf(true), logger, sync, syncGlobal, syncCollection,
  getSyncResult, setupReplication, setupReplicationGlobal, serverId,
};
