// The place of the server in a cluster of ArangoDB: it is always a single server.
'use strict';

const { send } = require('persea/connection');

const role = () => send('GET', '/_admin/server/role').role;
const isCoordinator = () => role() === 'COORDINATOR';
const isCluster = isCoordinator;

module.exports = { role, isCluster, isCoordinator };
