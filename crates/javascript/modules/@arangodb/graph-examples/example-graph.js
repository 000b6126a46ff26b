// The example graphs of ArangoDB's documentation.
'use strict';

const { db } = require('persea/database');
const { make } = require('persea/error');
const graphs = require('@arangodb/general-graph');

const NAMES = ['knows_graph', 'traversalGraph', 'kShortestPathsGraph', 'mps_graph', 'worldCountry', 'social',
  'routeplanner', 'connectedComponentsGraph'];
// The collections of this graph alone, without a named graph.
const UNMANAGED = 'worldCountryUnManaged';

function find(name) {
  const known = name === UNMANAGED ? 'worldCountry' : name;
  if (!NAMES.includes(known)) {
    throw make('ERROR_GRAPH_NOT_FOUND', `there is no example graph ${name}; there are ${NAMES.join(', ')}, ${UNMANAGED}`);
  }
  return require(`persea/example-graphs/${known}`);
}

// Creates an example graph with its collections and documents, and returns it.
function loadGraph(name) {
  const { relations, documents } = find(name);
  const isNamed = name !== UNMANAGED;
  if (!isNamed) {
    for (const { collection, from, to } of relations) {
      [...from, ...to].forEach((vertex) => db._collection(vertex) || db._create(vertex));
      db._createEdgeCollection(collection);
    }
  }
  const graph = isNamed ? graphs._create(name, relations) : undefined;
  for (const collection of Object.keys(documents)) {
    db._collection(collection).insert(documents[collection]);
  }
  return graph;
}

// Drops an example graph with its collections.
function dropGraph(name) {
  const { documents } = find(name);
  if (name !== UNMANAGED) {
    return graphs._drop(name, true);
  }
  Object.keys(documents).forEach((collection) => db._drop(collection));
  return true;
}

module.exports = { loadGraph, dropGraph };
