// Definitions of routes: what a request has, what a reply has, and what their documentation says.
'use strict';

const { isStatus, statusOf } = require('persea/foxx/statuses');
const { expanded } = require('persea/foxx/mime');
const { modelOf, schemaOf } = require('persea/foxx/validation');

const SECURITY_TYPES = ['basic', 'apiKey', 'oauth2'];

// Returns schema and description of a parameter.
function parameterOf(name, schema, description, place) {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`the name of ${place} must be a non-empty string`);
  }
  if (typeof schema === 'string') {
    return { schema: undefined, description: schema };
  }
  return { schema: schemaOf(schema, `${place} "${name}"`), description: textOf(description) };
}

const textOf = (value) => (value === undefined || value === null ? undefined : String(value));
const isTexts = (value) => Array.isArray(value) && value.every((text) => typeof text === 'string');

// Returns model, content types and description of a body, from arguments of which each may be missing.
function bodyOf(given, place) {
  const rest = [...given];
  const body = { model: undefined, isList: false, types: undefined, description: undefined };
  if (rest[0] === null || (rest[0] !== undefined && typeof rest[0] !== 'string' && !isTexts(rest[0]))) {
    const model = rest.shift();
    body.isList = Array.isArray(model);
    if (body.isList && model.length !== 1) {
      throw new TypeError(`the model of ${place} is an array of ${model.length} values; it must have exactly one`);
    }
    body.model = model === null ? null : modelOf(body.isList ? model[0] : model, place);
  } else if (rest[0] === undefined) {
    rest.shift();
  }
  if (isTexts(rest[0])) {
    body.types = rest.shift().map(expanded);
  } else if (rest[0] === undefined || rest[0] === null) {
    rest.shift();
  }
  if (body.types === undefined && body.model) {
    body.types = ['application/json'];
  }
  body.description = textOf(rest[0]);
  return body;
}

class Definitions {
  constructor() {
    this._headers = new Map();
    this._pathParams = new Map();
    this._queryParams = new Map();
    this._body = undefined;
    this._responses = new Map();
    this._errors = new Map();
    this._tags = new Set();
    this._schemes = new Map();
    this._security = new Map();
    this._scopes = new Map();
    this._summary = undefined;
    this._description = undefined;
    this._deprecated = undefined;
  }

  header(name, schema, description) {
    this._headers.set(String(name).toLowerCase(), parameterOf(name, schema, description, 'the header'));
    return this;
  }

  pathParam(name, schema, description) {
    this._pathParams.set(name, parameterOf(name, schema, description, 'the path parameter'));
    return this;
  }

  queryParam(name, schema, description) {
    this._queryParams.set(name, parameterOf(name, schema, description, 'the query parameter'));
    return this;
  }

  body(...given) {
    this._body = bodyOf(given, 'the request body');
    return this;
  }

  response(...given) {
    const hasStatus = typeof given[0] === 'number' || (typeof given[0] === 'string' && isStatus(given[0]));
    const status = hasStatus ? statusOf(given.shift()) : undefined;
    const body = bodyOf(given, 'the response body');
    this._responses.set(status === undefined ? (body.model === null ? 204 : 200) : status, body);
    return this;
  }

  error(status, description) {
    this._errors.set(statusOf(status), textOf(description));
    return this;
  }

  summary(text) {
    this._summary = textOf(text);
    return this;
  }

  description(text) {
    this._description = textOf(text);
    return this;
  }

  deprecated(isDeprecated = true) {
    this._deprecated = Boolean(isDeprecated);
    return this;
  }

  tag(...tags) {
    tags.forEach((tag) => this._tags.add(String(tag)));
    return this;
  }

  securityScheme(type, options, description) {
    if (!SECURITY_TYPES.includes(type)) {
      throw new TypeError(`the type of a security scheme is ${JSON.stringify(type)}; it must be one of ${SECURITY_TYPES.join(', ')}`);
    }
    const isText = typeof options === 'string';
    const { id, ...facts } = isText || !options ? {} : options;
    const text = textOf(isText ? options : description);
    const { in: place, name, flow, tokenUrl, authorizationUrl } = facts;
    const parts = [type, place, name, flow, tokenUrl, authorizationUrl].filter((part) => part !== undefined);
    const key = id === undefined ? parts.join('-') : String(id);
    this._schemes.set(key, { type, ...facts, ...(text === undefined ? {} : { description: text }) });
    return this;
  }

  security(id, isEnabled) {
    this._security.set(String(id), Boolean(isEnabled));
    return this;
  }

  securityScope(id, ...scopes) {
    const known = this._scopes.get(String(id)) || [];
    this._scopes.set(String(id), [...known, ...scopes.flat().map(String)]);
    return this;
  }
}

module.exports = { Definitions };
