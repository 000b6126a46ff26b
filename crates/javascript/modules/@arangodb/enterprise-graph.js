// EnterpriseGraphs: SmartGraphs without an attribute of choice. The server says whether it has them.
'use strict';

const general = require('@arangodb/general-graph');

function _create(name, edgeDefinitions, orphanCollections, options = {}) {
  return general._create(name, edgeDefinitions, orphanCollections, { ...options, isSmart: true });
}

module.exports = { ...general, _create };
