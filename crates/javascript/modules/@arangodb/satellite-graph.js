// SatelliteGraphs: every server has a copy. The server says whether it has them.
'use strict';

const general = require('@arangodb/general-graph');

function _create(name, edgeDefinitions, orphanCollections, options = {}) {
  return general._create(name, edgeDefinitions, orphanCollections, { ...options, replicationFactor: 'satellite' });
}

module.exports = { ...general, _create };
