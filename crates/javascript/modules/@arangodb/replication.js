// Replication from an ArangoDB server, as its routes have it. The server says what it does not have.
'use strict';

const { send } = require('persea/connection');

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

const sync = (config) => send('PUT', '/_api/replication/sync', config);
const syncGlobal = (config) => send('PUT', '/_api/replication/sync?global=true', config);
const setupReplication = (config) => send('PUT', '/_api/replication/make-follower', config);
const setupReplicationGlobal = (config) => send('PUT', '/_api/replication/make-follower?global=true', config);
const serverId = () => send('GET', '/_api/replication/server-id').serverId;

module.exports = {
  applier: applierOf(undefined), globalApplier: applierOf(true), logger, sync, syncGlobal, setupReplication,
  setupReplicationGlobal, serverId,
};
