// The URLs of named routes.
'use strict';

const { Level } = require('persea/foxx/routes');
const { REST } = require('persea/foxx/router');
const form = require('persea/foxx/form');

// Returns the route with a name in a router or in its children without a name. A dotted name has the
// names of child routers in front.
function lookup(level, name) {
  const known = level.names.get(name);
  if (known !== undefined && !(known instanceof Level)) {
    return known;
  }
  for (let at = name.indexOf('.'); at !== -1; at = name.indexOf('.', at + 1)) {
    const child = level.names.get(name.slice(0, at));
    const found = child instanceof Level ? lookup(child, name.slice(at + 1)) : undefined;
    if (found !== undefined) {
      return found;
    }
  }
  for (const child of level.unnamed) {
    const found = lookup(child, name);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

// Returns the URL of a named route, relative to the service. Parameters that its path does not have
// are those of its query.
function reverse(route, name, params = {}, suffix = '') {
  let found;
  for (let level = route === undefined ? undefined : route.level; level !== undefined && found === undefined; level = level.parent) {
    found = lookup(level, name);
  }
  if (found === undefined) {
    throw new Error(`there is no route with the name ${JSON.stringify(name)}`);
  }
  const rest = { ...params };
  const path = found.parts.map((part) => {
    if (typeof part === 'string') {
      return part;
    }
    if (part === REST) {
      return String(suffix).replace(/^\/+/, '');
    }
    if (rest[part.name] === undefined || rest[part.name] === null || rest[part.name] === '') {
      throw new Error(`the route ${JSON.stringify(name)} needs the path parameter ${JSON.stringify(part.name)}`);
    }
    const text = encodeURIComponent(String(rest[part.name]).toWellFormed());
    delete rest[part.name];
    return text;
  });
  const query = form.stringify(rest);
  return `/${path.join('/')}${query === '' ? '' : `?${query}`}`;
}

module.exports = { reverse };
