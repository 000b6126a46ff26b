// Running and slow queries.
'use strict';

const { send, query } = require('persea/connection');

function everywhere(all) {
  return query({ all: all || undefined });
}

module.exports = {
  properties(changes) {
    const { error, code, ...properties } = changes === undefined
      ? send('GET', '/_api/query/properties')
      : send('PUT', '/_api/query/properties', changes);
    return properties;
  },
  current: (all) => send('GET', '/_api/query/current' + everywhere(all)),
  slow: (all) => send('GET', '/_api/query/slow' + everywhere(all)),
  clearSlow(all) {
    send('DELETE', '/_api/query/slow' + everywhere(all));
  },
  kill(id, all) {
    const given = id !== null && typeof id === 'object' ? id.id : id;
    send('DELETE', `/_api/query/${encodeURIComponent(given)}` + everywhere(all));
  },
};
