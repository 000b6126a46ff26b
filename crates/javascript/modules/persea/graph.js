// One named graph: its collections, definitions and documents.
'use strict';

const { send, query } = require('persea/connection');
const collections = require('persea/collection');
const document = require('persea/document');
const { make } = require('persea/error');
const functions = require('persea/graph-functions');

class Graph {
  constructor(definition) {
    Object.defineProperty(this, '_name', { value: definition.name || definition._key });
    this._take(definition);
  }

  // Reads a definition, and makes each collection an attribute.
  _take(definition) {
    for (const name of Object.keys(this)) {
      delete this[name];
    }
    const hidden = { writable: true, configurable: true, enumerable: false };
    Object.defineProperty(this, '_definition', { ...hidden, value: definition });
    for (const name of [...this._edgeNames(), ...this._vertexNames()]) {
      const facts = collections.find(name);
      if (facts !== undefined) {
        this[name] = new GraphCollection(this, facts, this._edgeNames().includes(name));
      }
    }
  }

  get __name() {
    return this._name;
  }

  get __edgeDefinitions() {
    return this._definition.edgeDefinitions;
  }

  get __orphanCollections() {
    return this._definition.orphanCollections;
  }

  _edgeNames() {
    return this._definition.edgeDefinitions.map((definition) => definition.collection);
  }

  _vertexNames(excludesOrphans) {
    const used = this._definition.edgeDefinitions.flatMap((definition) => [...definition.from, ...definition.to]);
    return [...new Set(excludesOrphans ? used : [...used, ...this._definition.orphanCollections])];
  }

  _edgeCollections() {
    return this._edgeNames().map((name) => this[name]);
  }

  _vertexCollections(excludesOrphans) {
    return this._vertexNames(excludesOrphans).map((name) => this[name]);
  }

  _orphanCollections() {
    return this._definition.orphanCollections;
  }

  _extendEdgeDefinitions(definition, options) {
    this._change('POST', '/edge', { ...definition, options });
  }

  _editEdgeDefinitions(definition, options) {
    this._change('PUT', `/edge/${encodeURIComponent(definition.collection)}`, { ...definition, options });
  }

  _deleteEdgeDefinition(name, dropsCollection = false) {
    this._change('DELETE', `/edge/${encodeURIComponent(name)}` + query({ dropCollections: dropsCollection }));
  }

  _addVertexCollection(name, creates = true, options) {
    if (!creates && collections.find(name) === undefined) {
      throw make('ERROR_GRAPH_VERTEX_COL_DOES_NOT_EXIST', `${name}: there is no such collection`);
    }
    this._change('POST', '/vertex', { collection: name, options });
  }

  _removeVertexCollection(name, dropsCollection = false) {
    this._change('DELETE', `/vertex/${encodeURIComponent(name)}` + query({ dropCollection: dropsCollection }));
  }

  _fromVertex(edge) {
    return document.document(undefined, document.document(undefined, edge)._from);
  }

  _toVertex(edge) {
    return document.document(undefined, document.document(undefined, edge)._to);
  }

  _change(method, rest, body) {
    // The server may create or drop collections with it.
    collections.forget();
    this._take(send(method, `/_api/gharial/${encodeURIComponent(this._name)}${rest}`, body).graph);
  }
}

// Functions over all nodes and edges.
for (const name of Object.keys(functions)) {
  Graph.prototype[name] = function (...given) {
    return functions[name](this, ...given);
  };
}

// A collection of a graph. Writes keep the graph whole: no edge without its nodes.
class GraphCollection extends collections.ArangoCollection {
  constructor(graph, facts, isEdge) {
    super({ id: facts._id, name: facts._name, type: facts._type, status: facts._status });
    const base = `/_api/gharial/${encodeURIComponent(graph._name)}/${isEdge ? 'edge' : 'vertex'}`;
    Object.defineProperty(this, '_graphPath', { value: `${base}/${encodeURIComponent(facts._name)}` });
    Object.defineProperty(this, '_kind', { value: isEdge ? 'edge' : 'vertex' });
  }

  _insert(data, options) {
    if (Array.isArray(data)) {
      return data.map((one) => this._insert(one, options));
    }
    return this._outcome(send('POST', this._graphPath + this._parameters(options), data));
  }

  replace(given, data, options = {}) {
    return this._outcome(this._changeOne('PUT', given, data, options));
  }

  update(given, data, options = {}) {
    return this._outcome(this._changeOne('PATCH', given, data, options));
  }

  remove(given, options = {}) {
    const { removed, old } = this._changeOne('DELETE', given, undefined, options);
    return old === undefined ? removed : { removed, old };
  }

  _changeOne(method, given, data, options) {
    const { key, revision } = document.selector(this.name(), given);
    const headers = revision === undefined || options.overwrite ? undefined : { 'if-match': `"${revision}"` };
    return send(method, `${this._graphPath}/${encodeURIComponent(key)}${this._parameters(options)}`, data, headers);
  }

  _parameters({ waitForSync, keepNull, returnNew, returnOld }) {
    return query({ waitForSync, keepNull, returnNew, returnOld });
  }

  // Returns what the same operation outside of graphs returns.
  _outcome(reply) {
    const { [this._kind]: facts, new: after, old } = reply;
    return { ...facts, ...(old === undefined ? {} : { old }), ...(after === undefined ? {} : { new: after }) };
  }
}

module.exports = { Graph };
