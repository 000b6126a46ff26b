// The object `db`: the current database.
'use strict';

const connection = require('persea/connection');
const { send, sendUnless, query } = connection;
const { make } = require('persea/error');
const collections = require('persea/collection');
const views = require('persea/view');
const document = require('persea/document');
const { ArangoStatement, run } = require('persea/statement');

// Collection types, as numbers and as words.
const TYPES = { document: 2, edge: 3, 2: 2, 3: 3 };

class ArangoDatabase {
  // The connection of the shell.
  get _connection() {
    return require('internal').arango;
  }

  // Databases

  _name() {
    return connection.getDatabase();
  }

  _id() {
    return this._properties().id;
  }

  _isSystem() {
    return this._name() === '_system';
  }

  _path() {
    return this._properties().path;
  }

  _properties() {
    return send('GET', '/_api/database/current').result;
  }

  _databases() {
    return send('GET', '/_api/database').result;
  }

  _createDatabase(name, options, users) {
    const list = (users || []).map((user) => ({ active: true, passwd: '', extra: {}, ...user }));
    return send('POST', '/_api/database', { name, options: options || {}, users: list }).result;
  }

  _listDatabases() {
    return this._databases();
  }

  _endpoints() {
    return send('GET', '/_api/endpoint');
  }

  _listEndpoints() {
    return this._endpoints();
  }

  _dropDatabase(name) {
    return send('DELETE', `/_api/database/${encodeURIComponent(name)}`).result;
  }

  _useDatabase(name) {
    const before = connection.getDatabase();
    connection.setDatabase(name);
    try {
      send('GET', '/_api/database/current');
    } catch (error) {
      connection.setDatabase(before);
      throw error;
    }
    this._flushCache();
    return true;
  }

  // Collections

  _collections() {
    const all = send('GET', '/_api/collection').result;
    return all.sort((a, b) => (a.name < b.name ? -1 : 1)).map(collections.remember);
  }

  _collection(given) {
    const found = collections.ask(String(given));
    return found === undefined ? null : found;
  }

  _create(name, properties, type, options) {
    let kind = type;
    let creation = options;
    if (kind !== null && typeof kind === 'object') {
      [kind, creation] = [undefined, kind];
    }
    const { waitForSyncReplication, enforceReplicationFactor } = creation || {};
    const target = '/_api/collection' + query({ waitForSyncReplication, enforceReplicationFactor });
    const body = { ...properties, name };
    if (kind !== undefined) {
      if (TYPES[kind] === undefined) {
        throw make('ERROR_BAD_PARAMETER', 'the type of a collection must be "document" or "edge"');
      }
      body.type = TYPES[kind];
    }
    return collections.remember(send('POST', target, body));
  }

  _createDocumentCollection(name, properties, options) {
    return this._create(name, properties, 2, options);
  }

  _createEdgeCollection(name, properties, options) {
    return this._create(name, properties, 3, options);
  }

  _drop(given, options) {
    const collection = this._find(given);
    if (collection !== undefined) {
      collection.drop(options);
    }
  }

  _truncate(given) {
    const collection = this._find(given);
    if (collection !== undefined) {
      collection.truncate();
    }
  }

  _flushCache() {
    collections.forget();
  }

  // Documents

  _document(given, options) {
    return document.document(undefined, given, options);
  }

  _exists(given, options) {
    return document.exists(undefined, given, options);
  }

  _replace(given, data, ...rest) {
    return document.replace(undefined, given, data, document.optionsOf(['overwrite', 'waitForSync'], rest));
  }

  _update(given, data, ...rest) {
    const options = document.optionsOf(['overwrite', 'keepNull', 'waitForSync'], rest);
    return document.update(undefined, given, data, options);
  }

  _remove(given, ...rest) {
    return document.remove(undefined, given, document.optionsOf(['overwrite', 'waitForSync'], rest));
  }

  // Indexes

  _index(given) {
    const [collection, id] = this._splitIndex(given);
    const path = `/_api/index/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;
    const found = sendUnless(404, 'GET', path);
    if (found === undefined) {
      return null;
    }
    const { error, code, ...index } = found;
    return index;
  }

  _dropIndex(given) {
    const [collection, id] = this._splitIndex(given);
    send('DELETE', `/_api/index/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`);
    return true;
  }

  // Views

  _views() {
    return send('GET', '/_api/view').result.map((facts) => new views.ArangoView(facts));
  }

  _view(given) {
    const found = views.find(String(given));
    return found === undefined ? null : found;
  }

  _createView(name, type, properties) {
    return new views.ArangoView(send('POST', '/_api/view', { ...properties, name, type }));
  }

  _dropView(given) {
    const name = given !== null && typeof given === 'object' ? given.name() : String(given);
    sendUnless(404, 'DELETE', `/_api/view/${encodeURIComponent(name)}`);
  }

  // Queries

  _query(query, bindVars, main, sub) {
    return run(query, bindVars, main, sub);
  }

  _createStatement(data) {
    return new ArangoStatement(data);
  }

  _parse(query) {
    return new ArangoStatement(query).parse();
  }

  _explain(...given) {
    return require('@arangodb/aql/explainer').explain(...given);
  }

  _profileQuery(...given) {
    return require('@arangodb/aql/explainer').profileQuery(...given);
  }

  _queryProfile(...given) {
    return this._profileQuery(...given);
  }

  // Changes

  _changes(options) {
    return require('persea/changes').read(options);
  }

  // Transactions

  _createTransaction(data) {
    const { ArangoTransaction } = require('persea/transaction');
    return new ArangoTransaction(data);
  }

  _transactions() {
    return send('GET', '/_api/transaction').transactions;
  }

  _executeTransaction(data) {
    if (data === null || typeof data !== 'object') {
      throw make('ERROR_BAD_PARAMETER', 'a transaction must be an object with an attribute `action`');
    }
    const { action, ...rest } = data;
    if (typeof action !== 'string' && typeof action !== 'function') {
      throw make('ERROR_BAD_PARAMETER', '`action` must be a function or its text');
    }
    // In the server, a function sees the variables around it.
    if (typeof action === 'function' && require('internal').isArangod) {
      return require('persea/transaction').execute(action, rest);
    }
    return send('POST', '/_api/transaction', { ...rest, action: String(action) }).result;
  }

  // The server

  _version(details) {
    const reply = send('GET', '/_api/version' + query({ details: details || undefined }));
    return details ? reply : reply.version;
  }

  _engine() {
    return send('GET', '/_api/engine');
  }

  _engineStats() {
    return send('GET', '/_api/engine/stats');
  }

  _compact(options) {
    const { changeLevel, compactBottomMostLevel } = options || {};
    send('PUT', '/_admin/compact' + query({ changeLevel, compactBottomMostLevel }));
  }

  _getLicense() {
    return send('GET', '/_admin/license');
  }

  _setLicense(license, force) {
    return send('PUT', '/_admin/license' + query({ force }), license);
  }

  _help() {
    require('internal').help(this);
  }

  toString() {
    return `[ArangoDatabase "${this._name()}"]`;
  }

  _find(given) {
    return given !== null && typeof given === 'object' ? given : collections.find(String(given));
  }

  _splitIndex(given) {
    const text = given !== null && typeof given === 'object' ? given.id : String(given);
    const parts = String(text).split('/');
    if (parts.length !== 2) {
      throw make('ERROR_ARANGO_INDEX_HANDLE_BAD');
    }
    return parts;
  }
}

// Names that JavaScript itself asks objects for, which are no collections.
const NO_COLLECTIONS = new Set(['toJSON', 'then', 'inspect', 'length', 'constructor', ...Object.getOwnPropertyNames(Object.prototype)]);

// A property that `db` does not have is a collection or a view. Methods are found before this.
const byName = new Proxy(Object.create(null), {
  get(target, name) {
    if (typeof name === 'symbol' || NO_COLLECTIONS.has(name)) {
      return Object.prototype[name];
    }
    const collection = collections.find(name);
    return collection !== undefined ? collection : views.find(name);
  },
});
Object.setPrototypeOf(ArangoDatabase.prototype, byName);

module.exports = { ArangoDatabase, db: new ArangoDatabase() };
