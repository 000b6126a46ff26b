// Views.
'use strict';

const { send, sendUnless } = require('persea/connection');

class ArangoView {
  constructor(facts) {
    const hidden = { writable: true, enumerable: false };
    Object.defineProperties(this, {
      _id: { ...hidden, value: facts.id },
      _name: { ...hidden, value: facts.name },
      _type: { ...hidden, value: facts.type },
    });
  }

  get isArangoView() {
    return true;
  }

  name() {
    return this._name;
  }

  type() {
    return this._type;
  }

  properties(changes, isPartial) {
    let reply;
    if (changes === undefined) {
      reply = send('GET', path(this._name) + '/properties');
    } else {
      reply = send(isPartial === false ? 'PUT' : 'PATCH', path(this._name) + '/properties', changes);
    }
    const { error, code, id, name, type, globallyUniqueId, ...properties } = reply;
    return properties;
  }

  rename(name) {
    send('PUT', path(this._name) + '/rename', { name });
    this._name = name;
  }

  drop() {
    send('DELETE', path(this._name));
  }

  toString() {
    return `[ArangoView ${this._id}, "${this._name}" (type ${this._type})]`;
  }

  toJSON() {
    return this.toString();
  }
}

function path(name) {
  return `/_api/view/${encodeURIComponent(name)}`;
}

// Returns a view by name or id; undefined if there is none.
function find(name) {
  const facts = sendUnless(404, 'GET', path(name));
  return facts === undefined ? undefined : new ArangoView(facts);
}

module.exports = { ArangoView, find };
