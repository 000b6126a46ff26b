// Routers of services: `createRouter()` returns a new one.
'use strict';

const { Router } = require('persea/foxx/router');

module.exports = function createRouter() {
  return new Router();
};
