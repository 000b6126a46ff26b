// Routers: routes, middleware and child routers by their paths.
'use strict';

const { Definitions } = require('persea/foxx/endpoint');

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

// Returns the parts of a path: texts, `{ name }` for a parameter, and REST for its end.
const REST = Symbol('rest');

function partsOf(path) {
  const texts = path.split('/').filter((text) => text !== '');
  const names = new Set();
  return texts.map((text, index) => {
    if (text === '*') {
      if (index !== texts.length - 1) {
        throw new TypeError(`the path ${JSON.stringify(path)} has "*" within it; "*" must be its last part`);
      }
      return REST;
    }
    if (!text.startsWith(':')) {
      return text;
    }
    const name = text.slice(1);
    if (name === '' || names.has(name)) {
      throw new TypeError(`the path ${JSON.stringify(path)} must have a different name behind each ":"`);
    }
    names.add(name);
    return { name };
  });
}

// A route, a middleware or a child router at a path of its router.
class Endpoint extends Definitions {
  constructor(facts) {
    super();
    // The kind is "route", "middleware" or "router".
    this._kind = facts.kind;
    this._parts = facts.parts;
    this._methods = facts.methods;
    this._handlers = facts.handlers;
    this._router = facts.router;
    this._name = facts.name;
  }
}

// Splits arguments into path, handlers and name.
function split(given, place) {
  const rest = [...given];
  const name = rest.length > 1 && typeof rest[rest.length - 1] === 'string' ? rest.pop() : undefined;
  const path = typeof rest[0] === 'string' ? rest.shift() : '/';
  if (rest.length === 0) {
    throw new TypeError(`${place} needs a function`);
  }
  return { parts: partsOf(path), handlers: rest, name };
}

class Router extends Definitions {
  constructor() {
    super();
    this._endpoints = [];
  }

  all(...given) {
    return this._route(ALL, given, 'router.all');
  }

  use(...given) {
    const { parts, handlers, name } = split(given, 'router.use');
    const [target] = handlers;
    if (handlers.length !== 1) {
      throw new TypeError(`router.use has ${handlers.length} handlers; it must have one router or middleware`);
    }
    const where = { parts: parts.filter((part) => part !== REST), name };
    if (target instanceof Router) {
      return this._add({ kind: 'router', router: target, ...where });
    }
    const isObject = target !== null && typeof target === 'object';
    if (isObject && typeof target.register === 'function') {
      const endpoint = this._add({ kind: 'middleware', handlers: [], ...where });
      const handler = target.register(endpoint);
      if (typeof handler !== 'function') {
        this._endpoints.splice(this._endpoints.indexOf(endpoint), 1);
        throw new TypeError('the method "register" of a middleware must return a function');
      }
      endpoint._handlers = [handler];
      return endpoint;
    }
    if (typeof target !== 'function') {
      throw new TypeError('router.use needs a router, a function, or an object with a method "register"');
    }
    return this._add({ kind: 'middleware', handlers: [target], ...where });
  }

  _route(methods, given, place) {
    const { parts, handlers, name } = split(given, place);
    if (handlers.some((handler) => typeof handler !== 'function')) {
      throw new TypeError(`the handlers of ${place} must be functions`);
    }
    return this._add({ kind: 'route', methods, parts, handlers, name });
  }

  _add(facts) {
    const endpoint = new Endpoint(facts);
    this._endpoints.push(endpoint);
    return endpoint;
  }
}

for (const method of METHODS) {
  // A route of GET answers HEAD, too: the server sends no body then.
  const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
  Router.prototype[method] = function (...given) {
    return this._route(methods, given, `router.${method}`);
  };
}

module.exports = { ALL, REST, Router };
