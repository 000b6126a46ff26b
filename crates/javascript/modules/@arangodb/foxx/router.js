// Routers of Foxx services. The server has no services, so there is nothing to route.
'use strict';

module.exports = require('persea/foxx-services').missing('createRouter');
