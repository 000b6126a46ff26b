// The description of a service's routes, in OpenAPI 2.0.
'use strict';

const { REST } = require('persea/foxx/router');
const { phraseOf } = require('persea/foxx/statuses');
const { withCharset } = require('persea/foxx/mime');
const schemas = require('persea/foxx/schemas');

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

// Returns the last value of a field that the definitions of a route have.
function last(frames, field) {
  return frames.map((frame) => frame[field]).filter((value) => value !== undefined).pop();
}

const pathOf = (parts) => `/${parts.map((part) => (typeof part === 'string' ? part : part === REST ? '*' : `{${part.name}}`)).join('/')}`;

// Returns the content types of a list, as OpenAPI names them.
const typesOf = (types) => (types || []).map((type) => withCharset(type));

function bodySchema({ model, isList }) {
  const inner = model ? schemas.jsonSchema(model.schema) : {};
  return isList ? { type: 'array', items: inner } : inner;
}

function parametersOf(route) {
  const { frames } = route;
  const parameters = [];
  const pathParams = route.merged('_pathParams', frames.length);
  for (const [name] of route.names) {
    const { schema, description } = pathParams.get(name) || {};
    parameters.push(defined({ description, ...schemas.parameter(schema), name, in: 'path', required: true }));
  }
  for (const [field, place] of [['_queryParams', 'query'], ['_headers', 'header']]) {
    for (const [name, { schema, description }] of route.merged(field, frames.length)) {
      parameters.push(defined({ ...schemas.parameter(schema), name, in: place, ...defined({ description }) }));
    }
  }
  const body = last(frames, '_body');
  if (body !== undefined && body.model !== null) {
    const isRequired = Boolean(body.model && body.model.schema && schemas.isRequired(body.model.schema));
    parameters.push(defined({ name: 'body', in: 'body', description: body.description, required: isRequired, schema: bodySchema(body) }));
  }
  return parameters;
}

function responsesOf(route) {
  const responses = { 500: { description: 'Default error response.' } };
  for (const [status, description] of route.merged('_errors', route.frames.length)) {
    responses[status] = { description: description || phraseOf(status) };
  }
  for (const [status, body] of route.responses) {
    const hasBody = body.model !== null && (body.model !== undefined || body.types !== undefined);
    responses[status] = defined({ description: body.description || phraseOf(status), schema: hasBody ? bodySchema(body) : undefined });
  }
  return responses;
}

// Returns the schemes that protect a route, with the scopes that it needs.
function securityOf(route) {
  const enabled = new Map();
  for (const frame of route.frames) {
    frame._schemes.forEach((scheme, id) => enabled.set(id, true));
    frame._security.forEach((isEnabled, id) => enabled.set(id, isEnabled));
  }
  const scopes = route.merged('_scopes', route.frames.length);
  return [...enabled].filter(([, isEnabled]) => isEnabled).map(([id]) => ({ [id]: scopes.get(id) || [] }));
}

function operationOf(route, method, path) {
  const { frames, endpoint } = route;
  const tags = [...new Set(frames.flatMap((frame) => [...frame._tags]))];
  const body = last(frames, '_body');
  const produces = [...new Set([...route.responses.values()].flatMap((response) => typesOf(response.types)))];
  const security = securityOf(route);
  return defined({
    operationId: `${method}_${endpoint._name || path}`,
    summary: last(frames, '_summary'),
    description: last(frames, '_description'),
    tags: tags.length > 0 ? tags : undefined,
    deprecated: last(frames, '_deprecated'),
    consumes: body === undefined || body.model === null ? undefined : typesOf(body.types),
    produces: produces.length > 0 ? produces : [withCharset('application/json')],
    parameters: parametersOf(route),
    responses: responsesOf(route),
    security: security.length > 0 ? security : undefined,
  });
}

// Returns the description of a loaded service.
function describe(service) {
  const { manifest } = service;
  const paths = {};
  const securityDefinitions = {};
  service.routes.each((route) => {
    const path = pathOf(route.parts);
    const methods = route.endpoint._methods.map((method) => method.toLowerCase());
    paths[path] = paths[path] || {};
    for (const method of methods.filter((name) => name !== 'head' || methods.length !== 2)) {
      // The first route at a path answers its requests.
      paths[path][method] = paths[path][method] || operationOf(route, method, path);
    }
    route.frames.forEach((frame) => frame._schemes.forEach((scheme, id) => {
      securityDefinitions[id] = scheme;
    }));
  });
  return {
    swagger: '2.0',
    basePath: service.context.baseUrl,
    info: defined({
      title: manifest.name || service.mount,
      description: manifest.description || '',
      version: manifest.version || '0.0.0',
      // Clients expect it of every service.
      license: defined({ name: manifest.license }),
    }),
    schemes: ['http'],
    paths,
    securityDefinitions,
  };
}

module.exports = { describe };
