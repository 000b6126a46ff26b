// Pregel, which ArangoDB has until 3.11. The server says that it does not have it.
'use strict';

const { send } = require('persea/connection');

const ROUTE = '/_api/control_pregel';

// Returns the graph of a job: its name, or its collections.
function graphOf(graph) {
  return typeof graph === 'string' ? { graphName: graph } : graph;
}

const start = (algorithm, graph, params = {}) => send('POST', ROUTE, { algorithm, ...graphOf(graph), params });
const status = (id) => send('GET', id === undefined ? ROUTE : `${ROUTE}/${encodeURIComponent(id)}`);
const cancel = (id) => send('DELETE', `${ROUTE}/${encodeURIComponent(id)}`);
const history = (id) => send('GET', `${ROUTE}/history${id === undefined ? '' : `/${encodeURIComponent(id)}`}`);
const removeHistory = (id) => send('DELETE', `${ROUTE}/history${id === undefined ? '' : `/${encodeURIComponent(id)}`}`);

module.exports = { start, status, cancel, history, removeHistory };
