// The routes of a service, compiled: a tree of path parts for each router.
//
// Where several routes match, a text comes before a parameter and a parameter before the rest of a
// path, part by part; then the one that was defined first.
'use strict';

const { REST } = require('persea/foxx/router');
const { validated } = require('persea/foxx/validation');
const { HttpError } = require('persea/foxx/errors');

// The greatest depth of nested routers. A router within itself would have none.
const DEPTH_MAX = 64;

class Node {
  constructor() {
    this.texts = undefined;
    this.parameter = undefined;
    this.ends = undefined;
    this.rests = undefined;
  }

  child(part) {
    if (typeof part !== 'string') {
      this.parameter = this.parameter || new Node();
      return this.parameter;
    }
    this.texts = this.texts || new Map();
    if (!this.texts.has(part)) {
      this.texts.set(part, new Node());
    }
    return this.texts.get(part);
  }
}

// Returns the names of parameters of a path, with the index of each.
const namesOf = (parts) => parts.flatMap((part, index) => (typeof part === 'object' ? [[part.name, index]] : []));

// Returns the conditions under which a middleware's path begins the path of a route: for each part
// that only the request decides, its index and text. It returns undefined if it never does.
function conditionsOf(parts, route) {
  const conditions = [];
  for (const [index, part] of parts.entries()) {
    const other = route[index];
    if (other === undefined && !route.includes(REST)) {
      return undefined;
    }
    const isOpen = other === undefined || other === REST;
    if (typeof part !== 'string') {
      if (isOpen) {
        conditions.push([index, undefined]);
      }
    } else if (isOpen || typeof other === 'object') {
      conditions.push([index, part]);
    } else if (other !== part) {
      return undefined;
    }
  }
  return conditions;
}

const holds = (conditions, segments) =>
  conditions.every(([index, text]) => index < segments.length && (text === undefined || segments[index] === text));

// A router at one of its places.
class Level {
  constructor(router, parent, endpoint, parts) {
    this.parent = parent;
    // The path of the place, from the service's root.
    this.parts = parts;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    if (this.depth > DEPTH_MAX) {
      throw new RangeError(`routers are nested deeper than ${DEPTH_MAX} levels; a router must not be within itself`);
    }
    // The definitions that hold for all routes here.
    this.frames = endpoint === undefined ? [router] : [endpoint, router];
    this.middleware = [];
    this.names = new Map();
    this.unnamed = [];
    this.root = new Node();
    for (const one of router._endpoints) {
      if (one._kind === 'middleware') {
        this.middleware.push({ endpoint: one, parts: [...parts, ...one._parts] });
      }
    }
    // A middleware for more of the path runs later.
    this.middleware.sort((left, right) => left.parts.length - right.parts.length);
    for (const one of router._endpoints) {
      if (one._kind !== 'middleware') {
        this.add(one);
      }
    }
  }

  add(endpoint) {
    const all = [...this.parts, ...endpoint._parts];
    let node = this.root;
    for (const part of endpoint._parts) {
      node = part === REST ? node : node.child(part);
    }
    let entry;
    if (endpoint._kind === 'router') {
      entry = new Level(endpoint._router, this, endpoint, all);
      if (endpoint._name === undefined) {
        this.unnamed.push(entry);
      }
    } else {
      entry = new Route(endpoint, this, all);
    }
    if (endpoint._name !== undefined && !this.names.has(endpoint._name)) {
      this.names.set(endpoint._name, entry);
    }
    if (endpoint._kind === 'router' || all[all.length - 1] === REST) {
      node.rests = [...(node.rests || []), entry];
    } else {
      node.ends = [...(node.ends || []), entry];
    }
  }

  // Calls `visit` for each route that matches, in order, until it returns something.
  find(node, segments, index, visit) {
    let found;
    if (index === segments.length) {
      for (let place = 0; node.ends !== undefined && found === undefined && place < node.ends.length; ++place) {
        found = visit(node.ends[place]);
      }
    } else {
      const next = node.texts === undefined ? undefined : node.texts.get(segments[index]);
      found = next === undefined ? undefined : this.find(next, segments, index + 1, visit);
      if (found === undefined && node.parameter !== undefined) {
        found = this.find(node.parameter, segments, index + 1, visit);
      }
    }
    if (found === undefined && node.rests !== undefined) {
      for (let place = 0; found === undefined && place < node.rests.length; ++place) {
        const entry = node.rests[place];
        found = entry instanceof Level ? entry.find(entry.root, segments, index, visit) : visit(entry);
      }
    }
    return found;
  }

  // Calls `visit` for all routes, in the order of their definition.
  each(visit) {
    const nodes = [this.root];
    while (nodes.length > 0) {
      const node = nodes.pop();
      for (const entry of [...(node.ends || []), ...(node.rests || [])]) {
        if (entry instanceof Level) {
          entry.each(visit);
        } else {
          visit(entry);
        }
      }
      nodes.push(...[...(node.texts ? node.texts.values() : []), ...(node.parameter ? [node.parameter] : [])].reverse());
    }
  }
}

// A route at one of its places, with the steps of a request to it.
class Route {
  constructor(endpoint, level, parts) {
    this.endpoint = endpoint;
    this.level = level;
    this.parts = parts;
    this.hasRest = parts[parts.length - 1] === REST;
    this.fixed = this.hasRest ? parts.length - 1 : parts.length;
    const levels = [];
    for (let one = level; one !== undefined; one = one.parent) {
      levels.unshift(one);
    }
    this.frames = [...levels.flatMap((one) => one.frames), endpoint];
    this.names = namesOf(parts);
    this.pathParams = this.pathSchemas(this.frames, this.names);
    this.responses = this.merged('_responses', this.frames.length);
    this.steps = [];
    let count = 0;
    for (const one of levels) {
      const next = count + one.frames.length;
      this.addFrames(count, next);
      count = next;
      one.middleware.forEach((middleware) => this.addMiddleware(middleware, count));
    }
    this.addFrames(count, this.frames.length);
    this.steps.push({ handlers: endpoint._handlers, isRoute: true });
  }

  // Returns the definitions of the first frames, in which the last one of a name counts.
  merged(field, count) {
    const all = new Map();
    for (const frame of this.frames.slice(0, count)) {
      frame[field].forEach((definition, name) => all.set(name, definition));
    }
    return all;
  }

  // Adds a step that checks the definitions of some frames, without those that a later frame replaces.
  addFrames(from, to) {
    const isReplaced = (field, name) => this.frames.slice(to).some((frame) => frame[field].has(name));
    const step = checks(this.frames.slice(from, to), isReplaced);
    if (step.body !== undefined && this.frames.slice(to).some((frame) => frame._body !== undefined)) {
      step.body = undefined;
    }
    if (step.headers.length > 0 || step.queryParams.length > 0 || step.body !== undefined) {
      this.steps.push(step);
    }
  }

  addMiddleware({ endpoint, parts }, count) {
    const conditions = conditionsOf(parts, this.parts);
    if (conditions === undefined) {
      return;
    }
    const names = namesOf(parts);
    const isSame = names.every(([name, index]) => this.names.some(([other, place]) => other === name && place === index));
    const hasOwn = !isSame || endpoint._pathParams.size > 0;
    this.steps.push({
      ...checks([endpoint], () => false),
      handlers: endpoint._handlers,
      conditions,
      length: parts.length,
      names: hasOwn ? names : undefined,
      pathParams: hasOwn ? this.pathSchemas([...this.frames.slice(0, count), endpoint], names) : undefined,
    });
  }

  pathSchemas(frames, names) {
    const found = [];
    for (const [name] of names) {
      const schemas = frames.map((frame) => frame._pathParams.get(name)).filter((one) => one !== undefined);
      const { schema } = schemas[schemas.length - 1] || {};
      if (schema !== undefined) {
        found.push([name, schema]);
      }
    }
    return found;
  }

  // Returns the parameters of a request's path for each step; undefined if one of them is not valid.
  match(segments) {
    const params = valuesOf(this.names, this.pathParams, segments);
    if (params === undefined) {
      return undefined;
    }
    let others;
    for (let index = 0; index < this.steps.length; ++index) {
      const step = this.steps[index];
      if (step.names !== undefined && holds(step.conditions, segments)) {
        const values = valuesOf(step.names, step.pathParams, segments);
        if (values === undefined) {
          return undefined;
        }
        others = others || new Map();
        others.set(step, values);
      }
    }
    return { route: this, params, others, segments };
  }
}

function checks(frames, isReplaced) {
  const list = (field) => {
    const all = new Map();
    frames.forEach((frame) => frame[field].forEach((definition, name) => all.set(name, definition)));
    return [...all].filter(([name, { schema }]) => schema !== undefined && !isReplaced(field, name)).map(([name, { schema }]) => [name, schema]);
  };
  const bodies = frames.map((frame) => frame._body).filter((body) => body !== undefined);
  return { headers: list('_headers'), queryParams: list('_queryParams'), body: bodies[bodies.length - 1] };
}

function valuesOf(names, schemas, segments) {
  const values = {};
  for (let place = 0; place < names.length; ++place) {
    const [name, index] = names[place];
    if (name === '__proto__') {
      Object.defineProperty(values, name, { value: segments[index], enumerable: true, writable: true, configurable: true });
    } else {
      values[name] = segments[index];
    }
  }
  for (let place = 0; place < schemas.length; ++place) {
    const [name, schema] = schemas[place];
    try {
      values[name] = validated(schema, values[name], `the path parameter "${name}"`);
    } catch (error) {
      if (error instanceof HttpError && error.statusCode === 400) {
        return undefined;
      }
      throw error;
    }
  }
  return values;
}

// Returns the decoded segments of a path. Error: 400 for a bad percent escape.
function segmentsOf(path) {
  const segments = [];
  for (const text of path.split('/')) {
    if (text !== '') {
      segments.push(text.includes('%') ? decoded(text) : text);
    }
  }
  return segments;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new HttpError(400, `the path has the bad percent escape ${JSON.stringify(text)}; it must be UTF-8`);
  }
}

// Returns the end of a path behind a number of segments, as it is.
function restOf(path, count) {
  let at = 0;
  for (let passed = 0; passed < count; ++passed) {
    while (path[at] === '/') {
      ++at;
    }
    const next = path.indexOf('/', at);
    at = next === -1 ? path.length : next;
  }
  while (path[at] === '/') {
    ++at;
  }
  return path.slice(at);
}

module.exports = { Level, Route, holds, restOf, segmentsOf };
