// Stream transactions.
'use strict';

const { send, within } = require('persea/connection');
const { find } = require('persea/collection');
const { run } = require('persea/statement');

const METHODS = ['count', 'document', 'exists', 'insert', 'name', 'remove', 'replace', 'save', 'truncate', 'update'];

class ArangoTransaction {
  constructor(data) {
    const { collections, ...options } = data;
    const names = {};
    for (const access of ['read', 'write', 'exclusive']) {
      if (collections && collections[access] !== undefined) {
        names[access] = [].concat(collections[access]).map((given) => (given.isArangoCollection ? given.name() : given));
      }
    }
    this._status = send('POST', '/_api/transaction/begin', { ...options, collections: { ...collections, ...names } }).result;
    this._headers = { 'x-arango-trx-id': this._status.id };
  }

  id() {
    return this._status.id;
  }

  running() {
    return this.status().status === 'running';
  }

  status() {
    return send('GET', path(this.id())).result;
  }

  commit() {
    return send('PUT', path(this.id())).result;
  }

  abort() {
    return send('DELETE', path(this.id())).result;
  }

  query(query, bindVars, main, sub) {
    return run(query, bindVars, main, sub, this._headers);
  }

  collection(name) {
    const found = find(name);
    return found === undefined ? null : new ArangoTransactionCollection(found, this._headers);
  }

  toString() {
    return `[object ArangoTransaction ${this.id()}]`;
  }
}

// The part of a collection that takes part in a transaction.
class ArangoTransactionCollection {
  constructor(collection, headers) {
    const bound = new collection.constructor(
      { id: collection._id, name: collection._name, type: collection._type, status: collection._status }, headers);
    for (const method of METHODS) {
      Object.defineProperty(this, method, { value: bound[method].bind(bound) });
    }
    Object.defineProperty(this, 'isArangoCollection', { value: true });
  }
}

// Calls a function within a transaction, which is committed when the function returns.
function execute(action, { params, ...options }) {
  const transaction = new ArangoTransaction(options);
  let result;
  try {
    result = within(transaction.id(), () => action(params));
  } catch (error) {
    abandon(transaction);
    throw error;
  }
  transaction.commit();
  return result;
}

// Aborts a transaction because of an error, which says more than one of the abort.
function abandon(transaction) {
  try {
    transaction.abort();
  } catch (error) {
    // It was aborted by what failed.
  }
}

function path(id) {
  return `/_api/transaction/${encodeURIComponent(id)}`;
}

module.exports = { ArangoTransaction, execute };
