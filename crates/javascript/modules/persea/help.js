// The texts of `help()` and of `_help()` of objects.
'use strict';

const { ArangoDatabase } = require('persea/database');
const { ArangoCollection } = require('persea/collection');
const { ArangoQueryCursor } = require('persea/cursor');
const { ArangoChanges } = require('persea/changes');
const { ArangoStatement } = require('persea/statement');

const DATABASE = {
  'Databases': [
    ['_name()', 'name of the current database'],
    ['_databases()', 'names of all databases'],
    ['_createDatabase(<name>)', 'create a database'],
    ['_useDatabase(<name>)', 'change to another database'],
    ['_dropDatabase(<name>)', 'drop a database'],
  ],
  'Collections': [
    ['<name>', 'a collection or view, as in db.users'],
    ['_collections()', 'all collections'],
    ['_collection(<name>)', 'a collection by name or id, or null'],
    ['_create(<name>, <properties>)', 'create a document collection'],
    ['_createEdgeCollection(<name>)', 'create an edge collection'],
    ['_drop(<name>)', 'drop a collection'],
    ['_truncate(<name>)', 'remove all documents of a collection'],
    ['_flushCache()', 'clear cached properties of collections'],
  ],
  'Documents': [
    ['_document(<id>)', 'a document by its _id'],
    ['_exists(<id>)', 'true if the document exists'],
    ['_replace(<id>, <data>)', 'replace a document'],
    ['_update(<id>, <data>)', 'change attributes of a document'],
    ['_remove(<id>)', 'remove a document'],
  ],
  'Queries': [
    ['_query(<query>, <bindVars>)', 'execute a query; returns a cursor'],
    ['_createStatement(<query>)', 'prepare a query'],
    ['_parse(<query>)', 'check the syntax of a query'],
    ['_explain(<query>)', 'print the plan of a query'],
    ['_profileQuery(<query>)', 'execute a query and print its profile'],
  ],
  'Changes': [
    ['_changes(<options>)', 'what has changed: { changes, token, hasMore }'],
  ],
  'Transactions': [
    ['_createTransaction(<options>)', 'begin a stream transaction'],
    ['_executeTransaction(<options>)', 'run a function as a transaction in the server'],
  ],
  'Views and server': [
    ['_views()', 'all views'],
    ['_view(<name>)', 'a view by name, or null'],
    ['_createView(<name>, <type>)', 'create a view'],
    ['_dropView(<name>)', 'drop a view'],
    ['_version()', 'version of the server'],
    ['_engine()', 'name of the storage engine'],
    ['_engineStats()', 'statistics of the storage engine'],
  ],
};

const COLLECTION = {
  'Documents': [
    ['save(<data>), insert(<data>)', 'create a document, or several from an array'],
    ['document(<key>)', 'a document by _key or _id'],
    ['exists(<key>)', 'true if the document exists'],
    ['replace(<key>, <data>)', 'replace a document'],
    ['update(<key>, <data>)', 'change attributes of a document'],
    ['remove(<key>)', 'remove a document'],
    ['truncate()', 'remove all documents'],
  ],
  'Queries': [
    ['all(), toArray()', 'all documents, as cursor or array'],
    ['any()', 'a random document'],
    ['byExample(<example>)', 'documents that match an example'],
    ['firstExample(<example>)', 'one document that matches an example'],
    ['removeByExample(<example>)', 'remove documents that match an example'],
    ['updateByExample(<example>, <data>)', 'change documents that match an example'],
    ['edges(<id>), inEdges(<id>), outEdges(<id>)', 'edges of a node'],
  ],
  'Changes': [
    ['watch(<options>, <callback>)', 'call a function with each change until it returns false'],
    ['watch(<options>)', 'the changes as they come, with next() and token'],
  ],
  'Indexes': [
    ['ensureIndex(<index>)', 'create an index unless it exists'],
    ['indexes()', 'all indexes'],
    ['index(<id>)', 'an index by id or name'],
    ['dropIndex(<id>)', 'drop an index'],
  ],
  'The collection': [
    ['name(), type()', 'name, and 2 for documents or 3 for edges'],
    ['count()', 'number of documents'],
    ['properties(<changes>)', 'properties, changed if changes are given'],
    ['figures()', 'sizes of documents and indexes'],
    ['checksum(), revision()', 'checksum and revision of the content'],
    ['rename(<name>)', 'rename the collection'],
    ['drop()', 'drop the collection'],
  ],
};

const CURSOR = {
  'Rows': [
    ['hasNext(), next()', 'row by row'],
    ['toArray()', 'all remaining rows'],
    ['for (const row of <cursor>)', 'a loop over the rows'],
    ['count()', 'number of rows, if the query counts them'],
    ['getExtra()', 'statistics, warnings and profile'],
    ['dispose()', 'end the query'],
  ],
};

const CHANGES = {
  'Changes': [
    ['next()', 'wait for the next change; undefined at the end'],
    ['hasNext()', 'wait for the next change; false at the end'],
    ['token', 'position behind the last change, for the option `since`'],
    ['for (const change of <changes>)', 'a loop over the changes'],
  ],
};

const STATEMENT = {
  'The statement': [
    ['bind(<name>, <value>)', 'set one bind variable, or all from an object'],
    ['execute()', 'execute the query; returns a cursor'],
    ['explain()', 'the plan of the query, as an object'],
    ['parse()', 'collections, bind variables and syntax tree'],
    ['setOptions(<options>)', 'options of the query'],
    ['setCount(<bool>), setBatchSize(<number>)', 'count rows, set rows per batch'],
  ],
};

const GENERAL = {
  'The shell': [
    ['db', 'the database: db._help(), db.<collection>._help()'],
    ['arango', 'the connection: arango.GET(<path>), arango.POST(<path>, <body>)'],
    ['aql`...${value}...`', 'a query with bind variables'],
    ['require(<module>)', 'a module: @arangodb, @arangodb/users, fs, ...'],
    ['print(<value>), print_plain(<value>)', 'print with and without formatting'],
    ['help(<object>)', 'the methods of an object'],
    ['exit, quit, Ctrl-D', 'leave the shell'],
  ],
  'Output': [
    ['start_pretty_print(), stop_pretty_print()', 'print objects on several lines, or on one'],
    ['start_color_print(), stop_color_print()', 'colours'],
    ['start_pager(), stop_pager()', 'output through a pager'],
  ],
};

function show(title, sections) {
  const rows = Object.values(sections).flat();
  const width = Math.max(...rows.map(([usage]) => usage.length));
  const lines = [`${'-'.repeat(10)} ${title} ${'-'.repeat(10)}`];
  for (const name of Object.keys(sections)) {
    lines.push(`${name}:`, ...sections[name].map(([usage, text]) => `  ${usage.padEnd(width)}  ${text}`), '');
  }
  host.print(lines.join('\n'));
}

// Prints the help of an object, or that of the shell.
function help(object) {
  if (object === undefined) {
    show('Persea shell', GENERAL);
  } else if (object instanceof ArangoDatabase) {
    show('ArangoDatabase (db)', DATABASE);
  } else if (object instanceof ArangoCollection) {
    show('ArangoCollection', COLLECTION);
  } else if (object instanceof ArangoQueryCursor) {
    show('ArangoQueryCursor', CURSOR);
  } else if (object instanceof ArangoChanges) {
    show('ArangoChanges', CHANGES);
  } else if (object instanceof ArangoStatement) {
    show('ArangoStatement', STATEMENT);
  } else {
    host.print(require('persea/repl').methodsOf(object).join('\n') + '\n');
  }
}

module.exports = { help };
