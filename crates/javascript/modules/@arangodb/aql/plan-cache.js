// The cache of plans.
'use strict';

const { send } = require('persea/connection');

module.exports = {
  clear() {
    send('DELETE', '/_api/query-plan-cache');
  },
  toArray: () => send('GET', '/_api/query-plan-cache'),
};
