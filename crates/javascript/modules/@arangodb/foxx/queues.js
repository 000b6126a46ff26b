// Queues of jobs of Foxx services.
'use strict';

const { missing } = require('persea/foxx-services');

module.exports = {
  create: missing('queues.create'),
  get: missing('queues.get'),
  delete: missing('queues.delete'),
};
