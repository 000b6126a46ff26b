// Backups of all databases of the server.
'use strict';

const { send } = require('persea/connection');

function call(action, body) {
  return send('POST', `/_admin/backup/${action}`, body).result;
}

module.exports = {
  create: (label, timeout, allowInconsistent, force) => call('create', { label, timeout, allowInconsistent, force }),
  get: (id) => call('list', id === undefined ? {} : { id }).list,
  delete: (id) => call('delete', { id }),
  restore: (id) => call('restore', { id }),
};
