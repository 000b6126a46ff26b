// SmartGraphs: the edges of a node are where the node is. The server says whether it has them.
'use strict';

const general = require('@arangodb/general-graph');

function _create(name, edgeDefinitions, orphanCollections, options = {}) {
  return general._create(name, edgeDefinitions, orphanCollections, { ...options, isSmart: true });
}

module.exports = { ...general, _create };
