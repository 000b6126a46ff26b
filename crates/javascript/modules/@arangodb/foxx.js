// Foxx: parts of services. Those that need a running service throw when they are called.
'use strict';

module.exports = { createRouter: require('@arangodb/foxx/router') };
