// The public entry to the database: `db`, `aql`, `query`, `errors`, `time`.
'use strict';

const internal = require('internal');
const { ArangoError, errors } = require('persea/error');
const { ArangoCollection } = require('persea/collection');
const { ArangoDatabase, db } = require('persea/database');
const { ArangoView } = require('persea/view');
const { ArangoStatement, run } = require('persea/statement');
const { ArangoQueryCursor } = require('persea/cursor');
const { aql } = require('persea/query');

// Executes a template: query`RETURN ${value}`, also with options: query({ fullCount: true })`...`.
function query(strings, ...values) {
  if (!Array.isArray(strings)) {
    const options = strings;
    return (texts, ...inner) => run(aql(texts, ...inner), options);
  }
  return run(aql(strings, ...values));
}

module.exports = {
  db,
  aql,
  aqlQuery: aql,
  query,
  time: internal.time,
  print: internal.print,
  inspect: internal.inspect,
  output: internal.output,
  isServer: internal.isArangod,
  isClient: !internal.isArangod,
  ArangoCollection,
  ArangoDatabase,
  ArangoError,
  ArangoQueryCursor,
  ArangoStatement,
  ArangoView,
  get arango() {
    return internal.arango;
  },
  get errors() {
    return errors();
  },
};
