// The services of an isolate: each one's files, context, exports and routes.
//
// An isolate loads the service that it is for, and its dependencies when they are first used. The
// server makes a new isolate after every change, so nothing is loaded again.
'use strict';

const { facts, tableError } = require('persea/foxx/errors');
const { Context } = require('persea/foxx/context');
const { Router } = require('persea/foxx/router');
const { Level } = require('persea/foxx/routes');

const services = new Map();

class Service {
  constructor(description) {
    this.mount = description.mount;
    this.basePath = description.basePath.replace(/(.)\/+$/, '$1');
    this.manifest = description.manifest;
    this.configuration = description.configuration || {};
    this.dependencies = description.dependencies || {};
    this.isDevelopment = description.development === true;
    this.checksum = description.checksum;
    this.collectionPrefix = description.collectionPrefix || '';
    this.unmet = description.unmet || [];
    this.router = new Router();
    this.context = new Context(this);
    this._realm = { root: this.basePath, modules: new Map(), context: this.context };
    this._level = undefined;
    this.exports = {};
    this.isLoaded = false;
  }

  get name() {
    return this.manifest.name;
  }

  get version() {
    return this.manifest.version;
  }

  // The path, in the service's folder, of a script that the manifest names.
  pathOf(name) {
    return `${this.manifest.lib || '.'}/${name}`;
  }

  // Runs the main file.
  start() {
    const { main } = this.manifest;
    if (main) {
      this.exports = host.runFile(this.pathOf(main), this._realm, undefined);
    }
    this.isLoaded = true;
  }

  // Compiles the main file and the scripts, and runs none of them.
  check() {
    const { main, scripts = {} } = this.manifest;
    for (const name of [main, ...Object.values(scripts)].filter(Boolean)) {
      host.checkFile(this.pathOf(name), this._realm);
    }
  }

  // Runs a file, given by its path in the service's folder, with arguments, and returns its exports.
  run(path, argv) {
    const context = Object.create(this.context, { argv: { value: argv, writable: true, enumerable: true } });
    return host.runFile(path, this._realm, context);
  }

  // Calls a function that is given by its text.
  call(source, values) {
    return host.runText(source, this._realm, this.context, values);
  }

  // The compiled routes.
  get routes() {
    if (this._level === undefined) {
      this._level = new Level(this.router, undefined, undefined, []);
    }
    return this._level;
  }
}

function describe(mount) {
  const description = host.service(mount);
  if (description === undefined) {
    throw tableError('ERROR_SERVICE_NOT_FOUND', `there is no service at the mount point ${JSON.stringify(mount)}`);
  }
  return description;
}

// Returns the service at a mount point, without running its main file.
function get(mount) {
  if (!services.has(mount)) {
    services.set(mount, new Service(describe(mount)));
  }
  return services.get(mount);
}

// Returns the service at a mount point, whose main file has begun to run. A service whose dependency
// uses it in turn has the exports that are there at that moment.
//
// Errors: 3009, 3010 if it needs settings, 3100 for a missing module, 3101 for a syntax error, 3103 if
// the main file throws.
function load(mount) {
  const known = services.get(mount);
  if (known !== undefined && known._isStarted) {
    return known;
  }
  const service = get(mount);
  if (service.unmet.length > 0) {
    throw tableError('ERROR_SERVICE_NEEDS_CONFIGURATION', `service needs configuration: ${service.unmet.join(', ')}`);
  }
  service._isStarted = true;
  try {
    service.start();
  } catch (error) {
    services.delete(mount);
    throw failed(error, mount);
  }
  return service;
}

// Returns the error of a service that does not load.
function failed(error, mount) {
  const { message, name, errorNum } = facts(error);
  const known = { 3009: 'ERROR_SERVICE_NOT_FOUND', 3010: 'ERROR_SERVICE_NEEDS_CONFIGURATION', 3100: 'ERROR_MODULE_NOT_FOUND',
    3101: 'ERROR_MODULE_SYNTAX_ERROR', 3103: 'ERROR_MODULE_FAILURE' }[errorNum];
  const text = known === undefined && name !== 'Error' ? `${name}: ${message}` : message;
  const failure = tableError(known || 'ERROR_MODULE_FAILURE', `service "${mount}": ${text}`.replace(/^(service "[^"]*": )+/, `service "${mount}": `), { cause: error });
  // Clients see details in development mode only.
  failure.isInternal = true;
  return failure;
}

// Returns a new copy of the service at a mount point, whose files have not run: for a file of tests.
function fresh(mount) {
  return new Service(describe(mount));
}

module.exports = { fresh, get, load };
