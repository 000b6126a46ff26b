// Sessions of a service: a middleware with a storage that keeps sessions, and transports that carry
// their identifiers.
'use strict';

// Returns true if a value has the methods of a storage.
function isStorage(value) {
  return value !== null && typeof value === 'object' && typeof value.fromClient === 'function' && typeof value.forClient === 'function';
}

function isTransport(value) {
  return value !== null && typeof value === 'object' && (typeof value.get === 'function' || typeof value.set === 'function');
}

function storageOf(given) {
  if (isStorage(given)) {
    return given;
  }
  if (typeof given === 'string' || (given !== null && typeof given === 'object' && given.isArangoCollection === true)) {
    return require('@arangodb/foxx/sessions/storages/collection')(given);
  }
  throw new TypeError('`storage` must be a collection, its name, or an object with the methods fromClient and forClient');
}

function transportOf(given) {
  if (given === 'cookie' || given === 'header') {
    return require(`@arangodb/foxx/sessions/transports/${given}`)();
  }
  if (isTransport(given)) {
    return given;
  }
  throw new TypeError('`transport` must be "cookie", "header", or objects with the methods get or set');
}

// Returns the identifier that the first transport finds, or null.
function identifierOf(transports, req) {
  for (const transport of transports) {
    const found = typeof transport.get === 'function' ? transport.get(req) : null;
    if (typeof found === 'string' && found !== '') {
      return found;
    }
  }
  return null;
}

// Returns the session that a request begins with.
function begin(storage, sid, autoCreate) {
  const found = sid === null ? null : storage.fromClient(sid);
  if (found !== null && found !== undefined) {
    return found;
  }
  if (!autoCreate) {
    return null;
  }
  return typeof storage.new === 'function' ? storage.new() : {};
}

// Tells the client the identifier of its session, or that it has none any more.
function end(storage, transports, session, res, hadSession) {
  if (session) {
    const sid = storage.forClient(session);
    if (sid !== null && sid !== undefined && sid !== '') {
      transports.forEach((transport) => typeof transport.set === 'function' && transport.set(res, String(sid)));
    }
  } else if (hadSession) {
    transports.forEach((transport) => typeof transport.clear === 'function' && transport.clear(res));
  }
}

function createSessions(options) {
  if (options === null || typeof options !== 'object') {
    throw new TypeError('sessions need an object with `storage` and `transport`');
  }
  const { autoCreate = true } = options;
  const storage = storageOf(options.storage);
  const transport = [].concat(options.transport).map(transportOf);
  const sessions = (req, res, next) => {
    const sid = identifierOf(transport, req);
    req.session = begin(storage, sid, autoCreate);
    req.sessionStorage = storage;
    const hadSession = sid !== null || req.session !== null;
    next();
    end(storage, transport, req.session, res, hadSession);
  };
  return Object.assign(sessions, { storage, transport });
}

module.exports = createSessions;
