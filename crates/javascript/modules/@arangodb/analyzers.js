// Analyzers.
'use strict';

const { send, sendUnless, query } = require('persea/connection');

class ArangoAnalyzer {
  constructor(facts) {
    Object.defineProperty(this, '_facts', { value: facts });
  }

  name() {
    return this._facts.name;
  }

  type() {
    return this._facts.type;
  }

  properties() {
    return this._facts.properties;
  }

  features() {
    return this._facts.features;
  }

  toString() {
    return `[ArangoAnalyzer "${this.name()}" (type ${this.type()})]`;
  }
}

function path(name) {
  return `/_api/analyzer/${encodeURIComponent(name)}`;
}

module.exports = {
  save(name, type, properties = {}, features = []) {
    const { error, code, ...description } = send('POST', '/_api/analyzer', { name, type, properties, features });
    return description;
  },
  analyzer(name) {
    const facts = sendUnless(404, 'GET', path(name));
    return facts === undefined ? null : new ArangoAnalyzer(facts);
  },
  toArray: () => send('GET', '/_api/analyzer').result.map((facts) => new ArangoAnalyzer(facts)),
  remove(name, force) {
    send('DELETE', path(name) + query({ force: force || undefined }));
  },
};
