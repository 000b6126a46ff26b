// Pregel as ArangoDB 3.11 has it: runs of algorithms over whole graphs.
'use strict';

const { send } = require('persea/connection');

const ROUTE = '/_api/control_pregel';
const ACTIVE = ['none', 'loading', 'running', 'storing'];

// Returns the graph of a run: its name, or its collections.
function graphOf(graph) {
  return typeof graph === 'string' ? { graphName: graph } : graph;
}

function path(id, route = ROUTE) {
  return id === undefined ? route : `${route}/${encodeURIComponent(id)}`;
}

const start = (algorithm, graph, params = {}) => send('POST', ROUTE, { algorithm, ...graphOf(graph), params });
const status = (id) => send('GET', path(id));
const cancel = (id) => send('DELETE', path(id));
// True while a run, or any run if none is named, has not ended.
const isBusy = (id) => [status(id)].flat().some((run) => ACTIVE.includes(run.state));
const history = (id) => send('GET', path(id, `${ROUTE}/history`));
const removeHistory = (id) => send('DELETE', path(id, `${ROUTE}/history`));

module.exports = { start, status, cancel, isBusy, history, removeHistory };
