// Named graphs: their definitions.
'use strict';

const { forget } = require('persea/collection');
const { send } = require('persea/connection');
const { make } = require('persea/error');
const { Graph } = require('persea/graph');

function names(given) {
  return typeof given === 'string' ? [given] : given;
}

// Checks that something is a name or a list of names.
function checkNames(given, what) {
  if (typeof given !== 'string' && !(Array.isArray(given) && given.every((name) => typeof name === 'string' && name !== ''))) {
    throw make('ERROR_GRAPH_CREATE_MALFORMED_EDGE_DEFINITION', `${what} must be the name of a collection, or a list of names`);
  }
}

function _relation(collection, from, to) {
  if (typeof collection !== 'string' || collection === '') {
    throw make('ERROR_GRAPH_CREATE_MALFORMED_EDGE_DEFINITION', 'the name of a relation must be a non-empty string');
  }
  checkNames(from, 'the second argument');
  checkNames(to, 'the third argument');
  return { collection, from: names(from), to: names(to) };
}

function _edgeDefinitions(...relations) {
  return relations;
}

function _extendEdgeDefinitions(definitions, ...relations) {
  definitions.push(...relations);
}

function path(name) {
  return `/_api/gharial/${encodeURIComponent(name)}`;
}

function _create(name, edgeDefinitions = [], orphanCollections = [], options = {}) {
  if (typeof name !== 'string' || name === '') {
    throw make('ERROR_GRAPH_CREATE_MISSING_NAME');
  }
  const { waitForSync, isSmart, isDisjoint, ...rest } = options;
  const body = { name, edgeDefinitions, orphanCollections: names(orphanCollections), isSmart, isDisjoint, options: rest };
  const target = `/_api/gharial?waitForSync=${Boolean(waitForSync)}`;
  return new Graph(send('POST', target, body).graph);
}

function _graph(name) {
  return new Graph(send('GET', path(name)).graph);
}

function _drop(name, dropsCollections = false) {
  forget();
  return send('DELETE', `${path(name)}?dropCollections=${Boolean(dropsCollections)}`).removed;
}

function _listObjects() {
  return send('GET', '/_api/gharial').graphs;
}

function _list() {
  return _listObjects().map((graph) => graph._key || graph.name).sort();
}

function _exists(name) {
  return _list().includes(name);
}

// Renames a collection in the definitions of all graphs, as `collection.rename` has done.
function _renameCollection(before, after) {
  require('persea/database').db._collection(before).rename(after);
}

module.exports = {
  _relation, _edgeDefinitions, _extendEdgeDefinitions, _create, _graph, _drop, _list, _listObjects, _exists,
  _renameCollection,
};
