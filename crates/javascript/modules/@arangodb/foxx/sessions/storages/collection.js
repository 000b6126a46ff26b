// Sessions as documents of a collection. The key of the document is the identifier.
'use strict';

const { db } = require('@arangodb');

const NOT_FOUND = 1202;
const BAD_HANDLES = [1205, 1221];

// Returns true for the errors of a key that names no document, whoever made it up.
function isUnknown(error) {
  return error.isArangoError === true && [NOT_FOUND, ...BAD_HANDLES].includes(error.errorNum);
}

// Returns the session without the attributes that the database sets.
function content(session) {
  const { _id, _key, _rev, ...rest } = session;
  return rest;
}

class CollectionStorage {
  constructor({ collection, ttl = 60 * 60, pruneExpired = false, autoUpdate = true }) {
    if (typeof ttl !== 'number' || !(ttl > 0)) {
      throw new TypeError('`ttl` must be a positive number of seconds');
    }
    Object.assign(this, { _given: collection, _ttl: ttl, _prunesExpired: pruneExpired, _updates: autoUpdate });
  }

  // The collection, which need not exist before the first session.
  get collection() {
    if (typeof this._given !== 'string') {
      return this._given;
    }
    const found = db._collection(this._given);
    if (found === null) {
      throw new Error(`there is no collection "${this._given}" for sessions`);
    }
    return found;
  }

  new() {
    return { uid: null, created: Date.now(), data: null };
  }

  // Returns the session of an identifier; null if it is unknown or expired.
  fromClient(sid) {
    const session = this._find(sid);
    if (session === null) {
      return null;
    }
    const now = Date.now();
    if (this._isExpired(session, now)) {
      if (this._prunesExpired) {
        this.clear(session);
      }
      return null;
    }
    if (this._updates) {
      this._touch(session, now);
    }
    return session;
  }

  // Returns the identifier of a session; null if it was not saved.
  forClient(session) {
    return session._key || null;
  }

  save(session) {
    const changed = { ...content(session), lastUpdate: Date.now() };
    const { collection } = this;
    const facts = session._key === undefined ? collection.save(changed) : collection.replace(session._key, changed);
    return Object.assign(session, { lastUpdate: changed.lastUpdate, _id: facts._id, _key: facts._key, _rev: facts._rev });
  }

  // Removes a session, and its key: it is saved as a new one after that.
  clear(session) {
    const key = session && session._key;
    if (key === undefined || key === null) {
      return false;
    }
    for (const name of ['_id', '_key', '_rev']) {
      delete session[name];
    }
    try {
      this.collection.remove(key);
      return true;
    } catch (error) {
      if (isUnknown(error)) {
        return false;
      }
      throw error;
    }
  }

  // Removes all sessions that are expired, and returns their keys.
  prune() {
    const query = 'FOR session IN @@collection FILTER session.lastUpdate < @limit REMOVE session IN @@collection RETURN OLD._key';
    const limit = Date.now() - this._ttl * 1000;
    return db._query(query, { '@collection': this.collection.name(), limit }).toArray();
  }

  _find(sid) {
    // An identifier comes from a client: it is a key, and never the id of another collection.
    if (typeof sid !== 'string' || sid === '' || sid.includes('/')) {
      return null;
    }
    try {
      return this.collection.document(sid);
    } catch (error) {
      if (isUnknown(error)) {
        return null;
      }
      throw error;
    }
  }

  _isExpired(session, now) {
    return !(session.lastUpdate + this._ttl * 1000 >= now);
  }

  // Another request may change or remove the session at the same time: then that one counts.
  _touch(session, now) {
    try {
      this.collection.update(session._key, { lastUpdate: now });
      session.lastUpdate = now;
    } catch (error) {
      if (!isUnknown(error) && error.errorNum !== 1200) {
        throw error;
      }
    }
  }
}

function createCollectionStorage(given) {
  const isOptions = given !== null && typeof given === 'object' && given.isArangoCollection !== true;
  const options = isOptions ? given : { collection: given };
  const { collection } = options;
  if (collection === null || !['string', 'object'].includes(typeof collection) || collection === '') {
    throw new TypeError('`collection` must be a collection or its name');
  }
  return new CollectionStorage(options);
}

module.exports = createCollectionStorage;
