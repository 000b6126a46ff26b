// Collections.
'use strict';

const { send, sendUnless, query } = require('persea/connection');
const { make } = require('persea/error');
const document = require('persea/document');
const { SimpleQuery, conditions, exampleOf } = require('persea/simple-query');
const { run } = require('persea/statement');

const TYPES = { 2: 'document', 3: 'edge' };
const STATUS = { 1: 'new born', 2: 'unloaded', 3: 'loaded', 4: 'unloading', 5: 'deleted', 6: 'loading' };

// The properties that ArangoDB's shell shows, in its order. Those of clusters come last.
const PROPERTIES = ['globallyUniqueId', 'isSystem', 'waitForSync', 'keyOptions', 'writeConcern', 'cacheEnabled',
  'computedValues', 'syncByRevision', 'schema', 'accessRules', 'numberOfShards', 'shardKeys', 'replicationFactor',
  'shardingStrategy', 'distributeShardsLike', 'isSmart', 'isDisjoint', 'smartGraphAttribute', 'smartJoinAttribute'];

class ArangoCollection {
  // Makes a collection from its short facts. `headers` name the transaction that it takes part in.
  constructor(facts, headers) {
    const hidden = { writable: true, enumerable: false };
    Object.defineProperties(this, {
      _id: { ...hidden, value: facts.id },
      _name: { ...hidden, value: facts.name },
      _type: { ...hidden, value: facts.type },
      _status: { ...hidden, value: facts.status },
      _headers: { ...hidden, value: headers },
    });
  }

  get isArangoCollection() {
    return true;
  }

  name() {
    return this._name;
  }

  type() {
    return this._type;
  }

  status() {
    return this._status;
  }

  properties(changes) {
    const reply = changes === undefined
      ? send('GET', this._path('/properties'))
      : send('PUT', this._path('/properties'), changes);
    const properties = {};
    for (const name of PROPERTIES) {
      if (reply[name] !== undefined) {
        properties[name] = reply[name];
      }
    }
    return properties;
  }

  planId() {
    return this._id;
  }

  globallyUniqueId() {
    return send('GET', this._path('/properties')).globallyUniqueId;
  }

  count(details) {
    return send('GET', this._path('/count') + query({ details: details || undefined }), undefined, this._headers).count;
  }

  figures(details) {
    return send('GET', this._path('/figures') + query({ details: details || undefined })).figures;
  }

  revision() {
    return send('GET', this._path('/revision')).revision;
  }

  checksum(withRevisions, withData) {
    const { checksum, revision } = send('GET', this._path('/checksum') + query({ withRevisions, withData }));
    return { checksum, revision };
  }

  rename(name) {
    send('PUT', this._path('/rename'), { name });
    forget(this._name);
    forget(name);
    this._name = name;
  }

  truncate(options) {
    const chosen = typeof options === 'boolean' ? { waitForSync: options } : options || {};
    const { waitForSync, compact } = chosen;
    send('PUT', this._path('/truncate') + query({ waitForSync, compact }), undefined, this._headers);
  }

  drop(options) {
    const { isSystem } = options || {};
    send('DELETE', this._path('') + query({ isSystem }));
    forget(this._name);
    this._status = 5;
  }

  load() {
    this._status = send('PUT', this._path('/load'), { count: false }).status;
  }

  unload() {
    this._status = send('PUT', this._path('/unload')).status;
  }

  compact() {
    send('PUT', this._path('/compact'));
  }

  recalculateCount() {
    return send('PUT', this._path('/recalculateCount')).result;
  }

  loadIndexesIntoMemory() {
    return { result: send('PUT', this._path('/loadIndexesIntoMemory')).result };
  }

  shards(details) {
    return send('GET', this._path('/shards') + query({ details })).shards;
  }

  getResponsibleShard(data) {
    return send('PUT', this._path('/responsibleShard'), data).shardId;
  }

  // Changes

  watch(options, callback) {
    return require('persea/changes').watch(this._name, options, callback);
  }

  // Indexes

  ensureIndex(description) {
    if (description === null || typeof description !== 'object') {
      throw make('ERROR_BAD_PARAMETER', 'an index must be an object with an attribute `type`');
    }
    const { error, ...index } = send('POST', '/_api/index' + query({ collection: this._name }), description);
    return index;
  }

  indexes(withStats, withHidden) {
    const options = { collection: this._name, withStats: withStats || undefined, withHidden: withHidden || undefined };
    return send('GET', '/_api/index' + query(options)).indexes;
  }

  getIndexes(withStats, withHidden) {
    return this.indexes(withStats, withHidden);
  }

  index(given) {
    const { error, code, ...index } = send('GET', this._indexPath(given));
    return index;
  }

  dropIndex(given) {
    return sendUnless(404, 'DELETE', this._indexPath(given)) !== undefined;
  }

  // Documents, one or many

  insert(...given) {
    if (given.length > 2 && typeof given[2] === 'object' && given[2] !== null) {
      return this._insertEdge(...given);
    }
    const [data, ...rest] = given;
    const options = document.optionsOf(['waitForSync'], rest);
    return this._insert(data, options);
  }

  save(...given) {
    return this.insert(...given);
  }

  document(given, options) {
    if (Array.isArray(given)) {
      return send('PUT', this._documents() + '?onlyget=true', given, this._headers);
    }
    return document.document(this._name, given, options, this._headers);
  }

  exists(given, options) {
    return document.exists(this._name, given, options, this._headers);
  }

  replace(given, data, ...rest) {
    const options = document.optionsOf(['overwrite', 'waitForSync'], rest);
    return Array.isArray(given)
      ? this._changeMany('PUT', given, data, options)
      : document.replace(this._name, given, data, options, this._headers);
  }

  update(given, data, ...rest) {
    const options = document.optionsOf(['overwrite', 'keepNull', 'waitForSync'], rest);
    return Array.isArray(given)
      ? this._changeMany('PATCH', given, data, options)
      : document.update(this._name, given, data, options, this._headers);
  }

  remove(given, ...rest) {
    const options = document.optionsOf(['overwrite', 'waitForSync'], rest);
    if (!Array.isArray(given)) {
      return document.remove(this._name, given, options, this._headers);
    }
    const target = this._documents() + this._manyParameters(options);
    return document.outcome(options, send('DELETE', target, given, this._headers));
  }

  documents(keys) {
    return { documents: send('PUT', '/_api/simple/lookup-by-keys', { collection: this._name, keys }).documents };
  }

  lookupByKeys(keys) {
    return this.documents(keys);
  }

  removeByKeys(keys) {
    const { removed, ignored } = send('PUT', '/_api/simple/remove-by-keys', { collection: this._name, keys });
    return { removed, ignored };
  }

  documentId(key) {
    if (typeof key !== 'string' || key === '' || key.includes('/')) {
      throw make('ERROR_ARANGO_DOCUMENT_KEY_BAD');
    }
    return `${this._name}/${key}`;
  }

  // Queries by example

  all() {
    return new SimpleQuery(this._name, {}, this._headers);
  }

  toArray() {
    return this.all().toArray();
  }

  any() {
    const { document: found } = send('PUT', '/_api/simple/any', { collection: this._name });
    return found === undefined ? null : found;
  }

  byExample(...given) {
    return new SimpleQuery(this._name, exampleOf(given), this._headers);
  }

  firstExample(...given) {
    const found = this.byExample(...given).limit(1).toArray();
    return found.length === 0 ? null : found[0];
  }

  removeByExample(example, ...rest) {
    const options = document.optionsOf(['waitForSync', 'limit'], rest);
    return this._byExample(example, 'REMOVE d IN @@collection', {}, options);
  }

  replaceByExample(example, value, ...rest) {
    const options = document.optionsOf(['waitForSync', 'limit'], rest);
    return this._byExample(example, 'REPLACE d WITH @value IN @@collection', { value }, options);
  }

  updateByExample(example, value, ...rest) {
    const options = document.optionsOf(['keepNull', 'waitForSync', 'limit'], rest);
    return this._byExample(example, 'UPDATE d WITH @value IN @@collection', { value }, options);
  }

  iterate(iterator, options) {
    const { limit, probability = 1 } = options || {};
    const filter = probability < 1 ? 'FILTER RAND() < @probability' : '';
    const bindVars = { '@collection': this._name, limit: limit === undefined ? 1e15 : limit };
    if (probability < 1) {
      bindVars.probability = probability;
    }
    let index = 0;
    for (const found of this._run(`FOR d IN @@collection ${filter} LIMIT @limit RETURN d`, bindVars)) {
      iterator(found, index++);
    }
  }

  // Edges

  edges(given) {
    return this._edges(given, 'FILTER d._from IN @v OR d._to IN @v');
  }

  inEdges(given) {
    return this._edges(given, 'FILTER d._to IN @v');
  }

  outEdges(given) {
    return this._edges(given, 'FILTER d._from IN @v');
  }

  toString() {
    return `[ArangoCollection ${this._id}, "${this._name}" (type ${TYPES[this._type]}, status ${STATUS[this._status]})]`;
  }

  toJSON() {
    return this.toString();
  }

  _help() {
    require('internal').help(this);
  }

  _path(rest) {
    return `/_api/collection/${encodeURIComponent(this._name)}${rest}`;
  }

  _documents() {
    return `/_api/document/${encodeURIComponent(this._name)}`;
  }

  _indexPath(given) {
    const text = typeof given === 'object' && given !== null ? given.id : String(given);
    const [collection, id] = String(text).includes('/') ? text.split('/') : [this._name, text];
    if (collection !== this._name) {
      throw make('ERROR_ARANGO_CROSS_COLLECTION_REQUEST');
    }
    return `/_api/index/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;
  }

  _run(text, bindVars, options) {
    return run(text, bindVars, {}, options || {}, this._headers);
  }

  _insert(data, options) {
    const target = this._documents() + query(document.parameters(options, true));
    return document.outcome(options, send('POST', target, data, this._headers));
  }

  _insertEdge(from, to, data, options) {
    const id = (given) => (typeof given === 'object' && given !== null ? given._id : given);
    return this._insert({ ...data, _from: id(from), _to: id(to) }, options || {});
  }

  // Revisions of the selectors count unless `overwrite` is set.
  _manyParameters(options) {
    return query({ ...document.parameters(options, false), ignoreRevs: options.overwrite === true ? true : false });
  }

  _changeMany(method, selectors, data, options) {
    if (!Array.isArray(data) || data.length !== selectors.length) {
      throw make('ERROR_BAD_PARAMETER', 'the arrays of documents and data must have the same length');
    }
    const changes = selectors.map((given, index) => {
      const { key, revision } = document.selector(this._name, given);
      const { _id, _key, _rev, ...rest } = data[index];
      return revision === undefined ? { ...rest, _key: key } : { ...rest, _key: key, _rev: revision };
    });
    const reply = send(method, this._documents() + this._manyParameters(options), changes, this._headers);
    return document.outcome(options, reply);
  }

  _byExample(example, action, extra, options) {
    const { text, bindVars } = conditions(exampleOf([example]), 'd');
    const { waitForSync, keepNull, mergeObjects } = options;
    const limit = options.limit > 0 ? `LIMIT ${Number(options.limit)}` : '';
    const chosen = Object.entries({ waitForSync, keepNull, mergeObjects }).filter(([, value]) => value !== undefined);
    const allowed = action.startsWith('UPDATE') ? chosen : chosen.filter(([name]) => name === 'waitForSync');
    const clause = `OPTIONS { ${allowed.map(([name, value]) => `${name}: ${Boolean(value)}`).join(', ')} }`;
    const statement = `FOR d IN @@collection ${text} ${limit} ${action} ${clause}`;
    const cursor = this._run(statement, { ...bindVars, ...extra, '@collection': this._name });
    return cursor.getExtra().stats.writesExecuted;
  }

  _edges(given, filter) {
    if (this._type !== 3) {
      throw make('ERROR_ARANGO_COLLECTION_TYPE_INVALID');
    }
    const list = Array.isArray(given) ? given : [given];
    const v = list.map((vertex) => (typeof vertex === 'object' && vertex !== null ? vertex._id : vertex));
    return this._run(`FOR d IN @@collection ${filter} RETURN d`, { '@collection': this._name, v }).toArray();
  }
}

require('persea/collection-legacy').extend(ArangoCollection);

const known = new Map();

// Forgets what is known of a collection, or of all.
function forget(name) {
  if (name === undefined) {
    known.clear();
  } else {
    known.delete(name);
  }
}

// Returns a collection by name or id, as it is known; undefined if there is none.
function find(name) {
  const collection = known.get(name);
  return collection === undefined ? ask(name) : collection;
}

// Asks the server for a collection by name or id.
function ask(name) {
  const facts = sendUnless(404, 'GET', `/_api/collection/${encodeURIComponent(name)}`);
  if (facts === undefined) {
    forget(name);
    return undefined;
  }
  return remember(facts);
}

function remember(facts) {
  const collection = new ArangoCollection(facts);
  known.set(facts.name, collection);
  return collection;
}

module.exports = { ArangoCollection, find, ask, remember, forget };
