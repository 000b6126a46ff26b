// JSON Schema, as OpenAPI 2.0 has it, of schemas of joi. Other schemas have no form to read.
'use strict';

// The greatest depth of a schema that is shown.
const DEPTH_MAX = 20;

const TYPES = { string: { type: 'string' }, number: { type: 'number' }, boolean: { type: 'boolean' }, object: { type: 'object' },
  array: { type: 'array' }, date: { type: 'string', format: 'date-time' }, binary: { type: 'string', format: 'binary' } };
const FORMATS = { email: 'email', guid: 'uuid', uuid: 'uuid', uri: 'uri', isoDate: 'date-time', hostname: 'hostname', ip: 'ip' };

// Returns the limit of a rule, which joi has as `arg` or among `args`.
function limitOf({ arg, args }) {
  return args !== undefined && args !== null && typeof args === 'object' ? args.limit : arg;
}

function addRule(schema, rule) {
  const limit = limitOf(rule);
  const names = { string: ['minLength', 'maxLength'], array: ['minItems', 'maxItems'], object: ['minProperties', 'maxProperties'] };
  const [least, most] = names[schema.type] || ['minimum', 'maximum'];
  if (rule.name === 'integer') {
    schema.type = 'integer';
  } else if (FORMATS[rule.name] !== undefined) {
    schema.format = FORMATS[rule.name];
  } else if (typeof limit !== 'number') {
    return;
  } else if (['min', 'greater'].includes(rule.name)) {
    schema[least] = limit;
    schema.exclusiveMinimum = rule.name === 'greater' ? true : undefined;
  } else if (['max', 'less'].includes(rule.name)) {
    schema[most] = limit;
    schema.exclusiveMaximum = rule.name === 'less' ? true : undefined;
  } else if (rule.name === 'length') {
    [schema[least], schema[most]] = [limit, limit];
  }
}

// Returns the schema of a description that joi gives.
function fromDescription(description, depth) {
  const schema = { ...TYPES[description.type] };
  const { flags = {} } = description;
  for (const rule of description.rules || []) {
    addRule(schema, rule);
  }
  const allowed = (description.valids || description.allow || []).filter((value) => value !== null && typeof value !== 'object');
  if ((flags.only || flags.allowOnly) && allowed.length > 0) {
    schema.enum = allowed;
  }
  const text = description.description || flags.description;
  if (text !== undefined) {
    schema.description = String(text);
  }
  if (flags.default !== undefined && typeof flags.default !== 'function') {
    schema.default = flags.default;
  }
  if (depth < DEPTH_MAX) {
    addInner(schema, description, depth);
  }
  return JSON.parse(JSON.stringify(schema));
}

function addInner(schema, description, depth) {
  const keys = description.children || description.keys;
  if (schema.type === 'object' && keys !== undefined && keys !== null) {
    const names = Object.keys(keys);
    schema.properties = Object.fromEntries(names.map((name) => [name, fromDescription(keys[name], depth + 1)]));
    const required = names.filter((name) => isRequired(keys[name]));
    schema.required = required.length > 0 ? required : undefined;
  }
  if (schema.type === 'array') {
    const items = description.items || [];
    schema.items = items.length === 1 ? fromDescription(items[0], depth + 1) : {};
  }
}

const isRequired = ({ flags = {} }) => flags.presence === 'required';

function describe(schema) {
  if (schema === undefined || typeof schema.describe !== 'function') {
    return undefined;
  }
  try {
    return schema.describe();
  } catch (error) {
    return undefined;
  }
}

// Returns the JSON Schema of a schema; an empty one for a schema that cannot be read.
function jsonSchema(schema) {
  const description = describe(schema);
  return description === undefined ? {} : fromDescription(description, 0);
}

// Returns what OpenAPI says of a parameter outside of the body, whose value is a text.
function parameter(schema) {
  const description = describe(schema);
  const found = description === undefined ? {} : fromDescription(description, 0);
  const isPlain = ['string', 'number', 'integer', 'boolean'].includes(found.type);
  const isList = found.type === 'array';
  const { properties, required, ...facts } = found;
  const items = isList ? { items: ['string', 'number', 'integer', 'boolean'].includes((found.items || {}).type) ? found.items : { type: 'string' } } : {};
  return { ...facts, ...items, type: isPlain || isList ? found.type : 'string', required: description !== undefined && isRequired(description) };
}

module.exports = { jsonSchema, parameter, isRequired: (schema) => isRequired(describe(schema) || {}) };
