// The template tags `aql` and `query`.
'use strict';

// A part of a query as it is. Services look at its own function.
class AqlLiteral {
  constructor(text) {
    this.toAQL = () => text;
  }
}

// A query with bind variables, and the parts that it was made of.
class AqlQuery {
  constructor(strings, values) {
    let query = strings[0];
    const bindVars = {};
    const names = new Map();
    const state = { query, bindVars, names };
    for (let index = 0; index < values.length; ++index) {
      add(state, values[index]);
      state.query += strings[index + 1];
    }
    this.query = state.query;
    this.bindVars = bindVars;
    hide(this, '_strings', strings);
    hide(this, '_values', values);
  }
}

function hide(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: false });
}

// Appends a value of a template: a part of the query, or a bind variable.
function add(state, value) {
  if (value instanceof AqlQuery) {
    // The parts are added again, so that equal values share one bind variable.
    state.query += value._strings[0];
    value._values.forEach((inner, index) => {
      add(state, inner);
      state.query += value._strings[index + 1];
    });
  } else if (value instanceof AqlLiteral) {
    state.query += value.toAQL();
  } else if (value !== undefined) {
    state.query += bound(state, value);
  }
}

// Returns the text of a bind variable for a value.
function bound(state, value) {
  const known = state.names.get(value);
  if (known !== undefined) {
    return known;
  }
  const number = state.names.size;
  const isCollection = value !== null && typeof value === 'object' && (value.isArangoCollection || value.isArangoView);
  let text;
  if (isCollection) {
    state.bindVars[`@value${number}`] = value.name();
    text = `@@value${number}`;
  } else if (value !== null && typeof value === 'object' && typeof value.toAQL === 'function') {
    return value.toAQL();
  } else {
    state.bindVars[`value${number}`] = value;
    text = `@value${number}`;
  }
  state.names.set(value, text);
  return text;
}

function aql(strings, ...values) {
  return new AqlQuery(strings, values);
}

// Marks a text as a part of the query.
aql.literal = (text) => {
  if (text !== null && typeof text === 'object' && typeof text.toAQL === 'function') {
    return text;
  }
  return new AqlLiteral(text === undefined ? '' : String(text));
};

// Joins queries to one, with a text between them.
aql.join = (parts, separator = ' ') => {
  if (parts.length === 0) {
    return aql``;
  }
  const strings = [''];
  for (let index = 1; index < parts.length; ++index) {
    strings.push(separator);
  }
  strings.push('');
  return new AqlQuery(strings, parts);
};

module.exports = { aql, AqlQuery };
