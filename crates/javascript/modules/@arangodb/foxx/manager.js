// The management of Foxx services, as the server's routes have it.
'use strict';

const { send } = require('persea/connection');

// Returns the path of a part of the service at a mount point; without a part, that of all services.
function route(mount, part) {
  return `/_api/foxx${part === undefined ? '' : `/${part}`}?mount=${encodeURIComponent(mount)}`;
}

// Installs the service that a text names: a URL, or a path that the server reads.
const install = (source, mount) => send('POST', route(mount), { source });
const replace = (source, mount) => send('PUT', route(mount, 'service'), { source });
const upgrade = (source, mount) => send('PATCH', route(mount, 'service'), { source });
const uninstall = (mount) => send('DELETE', route(mount, 'service'));
const configuration = (mount) => send('GET', route(mount, 'configuration'));
const configure = (mount, values) => send('PATCH', route(mount, 'configuration'), values);
const dependencies = (mount) => send('GET', route(mount, 'dependencies'));
const listJson = () => send('GET', '/_api/foxx');

module.exports = {
  install, replace, upgrade, uninstall, configuration, configure, dependencies, listJson, installed: listJson,
};
