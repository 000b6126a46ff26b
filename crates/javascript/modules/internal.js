// The functions that belong to the program rather than to the database.
'use strict';

const printer = require('persea/printer');
const { ArangoError, errors } = require('persea/error');
const connection = require('persea/connection');

const internal = module.exports;

internal.time = host.time;
internal.sleep = host.sleep;
internal.wait = (seconds) => {
  host.collectGarbage();
  host.sleep(seconds);
};
internal.print = printer.print;
internal.print_plain = (...values) =>
  host.print(values.map((value) => printer.text(value, false, false)).join(' ') + '\n');
internal.output = (...values) => host.print(values.map(String).join(''));
internal.inspect = (value, options) => printer.text(value, !options || options.prettyPrint !== false, false);
internal.sprintf = (...values) => require('util').format(...values);
internal.printf = (...values) => host.print(internal.sprintf(...values));

internal.start_pretty_print = () => { printer.state.isPretty = true; };
internal.stop_pretty_print = () => { printer.state.isPretty = false; };
internal.start_color_print = () => { printer.state.hasColors = true; };
internal.stop_color_print = () => { printer.state.hasColors = false; };
internal.startPrettyPrint = internal.start_pretty_print;
internal.stopPrettyPrint = internal.stop_pretty_print;
internal.startColorPrint = internal.start_color_print;
internal.stopColorPrint = internal.stop_color_print;
internal.start_pager = host.beginPager;
internal.stop_pager = host.endPager;

internal.ArangoError = ArangoError;
internal.version = '3.12';
internal.exit = host.exit;
internal.quit = host.exit;
internal.pid = undefined;
internal.getPid = host.processId;
internal.startupPath = '';
internal.isArangod = !host.hasTerminal();
internal.platform = 'linux';
// The place of test data, from the folder in which ArangoDB's tests are started.
internal.pathForTesting = (path, prefix = 'js') => require('fs').join('tests', prefix, path);
internal.isEnterprise = () => connection.send('GET', '/_api/version').license === 'enterprise';
internal.isCluster = () => connection.send('GET', '/_admin/server/role').role === 'COORDINATOR';
internal.options = () => connection.sendTo('_system', 'GET', '/_admin/options');
internal.parseArgv = (...given) => require('persea/arguments').parseArgv(...given);
internal.download = (...given) => require('persea/download').download(...given);

internal.load = (path) => require('persea/repl').runFile(path);
internal.read = host.readText;
internal.parse = (source) => {
  host.compileModule(source, '<parse>');
  return true;
};
internal.executeScript = (source, ignored, file) => host.evaluate(source, file || '<script>');
internal.debugClearFailAt = () => {};

for (const name of ['rand', 'genRandomNumbers', 'genRandomAlphaNumbers', 'genRandomSalt', 'md5', 'sha1', 'sha224',
  'sha256', 'sha384', 'sha512', 'hmac', 'createNonce']) {
  internal[name] = (...given) => require('@arangodb/crypto')[name](...given);
}

// Flushes the write-ahead log, or tells its properties.
internal.wal = {
  flush(waitForSync, waitForCollector) {
    connection.send('PUT', '/_admin/wal/flush', { waitForSync: Boolean(waitForSync), waitForCollector: Boolean(waitForCollector) });
  },
  properties: () => connection.send('GET', '/_admin/wal/properties'),
  transactions: () => connection.send('GET', '/_admin/wal/transactions'),
};

// Adds a property whose value a module makes at its first use.
function lazy(name, make) {
  Object.defineProperty(internal, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      Object.defineProperty(internal, name, { value, writable: true, enumerable: true });
      return value;
    },
    set(value) {
      Object.defineProperty(internal, name, { value, writable: true, enumerable: true });
    },
  });
}

lazy('COLORS', () => require('persea/colors').COLORS);
lazy('db', () => require('persea/database').db);
lazy('errors', errors);
lazy('env', () => require('process').env);
lazy('arango', () => require('persea/arango'));
lazy('help', () => require('persea/help').help);
