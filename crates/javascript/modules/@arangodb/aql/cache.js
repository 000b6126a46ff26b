// The cache of results.
'use strict';

const { send } = require('persea/connection');

module.exports = {
  properties(changes) {
    const { error, code, ...properties } = changes === undefined
      ? send('GET', '/_api/query-cache/properties')
      : send('PUT', '/_api/query-cache/properties', changes);
    return properties;
  },
  clear() {
    send('DELETE', '/_api/query-cache');
  },
  toArray: () => send('GET', '/_api/query-cache/entries'),
};
