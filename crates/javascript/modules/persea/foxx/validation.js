// Schemas: objects with a method `validate`, as those of joi.
'use strict';

const { HttpError } = require('persea/foxx/errors');

const isObject = (value) => value !== null && typeof value === 'object';
const isSchema = (value) => (isObject(value) || typeof value === 'function') && typeof value.validate === 'function';

// Returns true for an object whose attributes are schemas.
function hasSchemas(value) {
  const names = isObject(value) && !Array.isArray(value) ? Object.keys(value) : [];
  return names.length > 0 && names.every((name) => isSchema(value[name]));
}

// Returns the schema of an object with attributes of these schemas.
function objectSchema(schemas) {
  const [first] = Object.values(schemas);
  const joi = first._currentJoi || require('joi');
  return joi.object().keys(schemas);
}

// Returns a given schema; undefined without one. `place` is the call that it was given to.
function schemaOf(value, place) {
  if (value === undefined || value === null) {
    return undefined;
  }
  if (isSchema(value)) {
    return value;
  }
  if (hasSchemas(value)) {
    return objectSchema(value);
  }
  throw new TypeError(`the schema of ${place} must be an object with a method "validate"`);
}

// Validates a value and returns the value of the result. `place` names it in the error.
function validated(schema, value, place) {
  const result = schema.validate(value);
  if (!isObject(result)) {
    throw new TypeError(`the method "validate" of the schema of ${place} must return an object`);
  }
  if (result.error) {
    const text = String(result.error.message || result.error).replace(/^"value"/, '').trim();
    const isJoined = text !== String(result.error.message || result.error);
    throw new HttpError(400, isJoined ? `${place} ${text}` : `${place}: ${text}`, { cause: result.error });
  }
  return result.value;
}

// Returns a model of a body: its schema, if it has one, and its functions `fromClient` and `forClient`.
function modelOf(value, place) {
  if (isSchema(value)) {
    return { schema: value };
  }
  if (!isObject(value) && typeof value !== 'function') {
    throw new TypeError(`the model of ${place} must be a schema or an object with "schema", "fromClient" or "forClient"`);
  }
  if (value.schema === undefined && value.fromClient === undefined && value.forClient === undefined && hasSchemas(value)) {
    return { schema: objectSchema(value) };
  }
  return {
    schema: schemaOf(value.schema, place),
    fromClient: typeof value.fromClient === 'function' ? (data) => value.fromClient(data) : undefined,
    forClient: typeof value.forClient === 'function' ? (data) => value.forClient(data) : undefined,
  };
}

// Validates a request's body and returns what handlers see.
function validatedBody({ model, isList }, body) {
  if (!model) {
    return body;
  }
  if (isList && !Array.isArray(body)) {
    throw new HttpError(400, 'the request body must be an array');
  }
  const one = (value, place) => {
    const found = model.schema === undefined ? value : validated(model.schema, value, place);
    return model.fromClient === undefined ? found : model.fromClient(found);
  };
  return isList ? body.map((value, index) => one(value, `item ${index} of the request body`)) : one(body, 'the request body');
}

module.exports = { modelOf, schemaOf, validated, validatedBody };
