// The context of a service: `module.context` of its files.
'use strict';

const path = require('path');

// The most characters of a collection's name behind the prefix.
const NAME_MAX = 64;

class Context {
  constructor(service) {
    Object.defineProperty(this, 'service', { value: service });
    // The types of bodies that the service itself reads and writes.
    Object.defineProperty(this, '_types', { value: new Map() });
    Object.defineProperty(this, '_dependencies', { value: dependencies(service) });
    this.argv = undefined;
    this.trustProxy = false;
  }

  get mount() {
    return this.service.mount;
  }

  get basePath() {
    return this.service.basePath;
  }

  get baseUrl() {
    return `/_db/${encodeURIComponent(host.database())}${this.service.mount}`;
  }

  get collectionPrefix() {
    return this.service.collectionPrefix;
  }

  get configuration() {
    return this.service.configuration;
  }

  get dependencies() {
    return this._dependencies;
  }

  get manifest() {
    return this.service.manifest;
  }

  get isDevelopment() {
    return this.service.isDevelopment;
  }

  get isProduction() {
    return !this.service.isDevelopment;
  }

  toJSON() {
    const { argv, basePath, baseUrl, collectionPrefix, configuration, isDevelopment, isProduction, manifest, mount } = this;
    return { argv, basePath, baseUrl, collectionPrefix, configuration, isDevelopment, isProduction, manifest, mount };
  }

  use(...given) {
    return this.service.router.use(...given);
  }

  // Letters and digits only, so that the name is one of a collection.
  collectionName(name) {
    const own = String(name).slice(0, 4 * NAME_MAX).replace(/[^a-z0-9]/gi, '_').replace(/^_+|_+$/g, '').slice(0, NAME_MAX);
    if (own === '') {
      throw new TypeError(`the name of a collection is ${JSON.stringify(name)}; it must have a letter or a digit`);
    }
    const prefix = this.service.collectionPrefix;
    return `${prefix}${prefix === '' || prefix.endsWith('_') ? '' : '_'}${own}`;
  }

  collection(name) {
    return require('@arangodb').db._collection(this.collectionName(name));
  }

  // The path of a file of the service. A name cannot lead out of its folder.
  fileName(name) {
    return path.join(this.service.basePath, path.join('/', String(name)));
  }

  file(name, encoding) {
    return require('fs').readFileSync(this.fileName(name), encoding);
  }

  // Sets how bodies of a type are read (`fromClient`) and written (`forClient`).
  registerType(type, definition) {
    const functions = ['fromClient', 'forClient'].filter((name) => definition && typeof definition[name] === 'function');
    if (functions.length === 0) {
      throw new TypeError(`the definition of the type ${JSON.stringify(type)} must have a function "fromClient" or "forClient"`);
    }
    const { essence } = require('persea/foxx/negotiation');
    const { expanded } = require('persea/foxx/mime');
    this._types.set(essence(expanded(type)), definition);
  }

  createDocumentationRouter(options) {
    return require('persea/foxx/documentation').router(this, options);
  }

  apiDocumentation(options) {
    return require('persea/foxx/documentation').handler(this, options);
  }
}

// Returns an object whose attributes are the exports of the services that are assigned.
function dependencies(service) {
  const exported = (mount) => require('persea/foxx/service').load(mount).exports;
  const all = {};
  for (const alias of Object.keys(service.dependencies)) {
    const mounts = service.dependencies[alias];
    Object.defineProperty(all, alias, {
      enumerable: true,
      configurable: true,
      get() {
        if (Array.isArray(mounts)) {
          return mounts.map(exported);
        }
        return mounts === null || mounts === undefined ? null : exported(mounts);
      },
    });
  }
  return all;
}

module.exports = { Context };
