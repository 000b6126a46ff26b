// Functions of AQL that users write: the server defines them and calls them for many rows at once.
'use strict';

// The most warnings of one batch; a query keeps fewer.
const WARNINGS_MAX = 1000;

const functions = new Map();
let warnings = [];

function warn(code, message) {
  if (warnings.length < WARNINGS_MAX) {
    warnings.push([Number(code), String(message)]);
  }
}

Object.defineProperty(globalThis, 'AQL_WARNING', { value: warn, writable: true, configurable: true });

// Throws unless the code is a function. The code does not see the native functions.
function compile(name, code) {
  const module = { exports: undefined };
  const body = host.compileModule('module.exports = ' + code + '\n;', name);
  body.call(undefined, undefined, globalThis.require, module, name, '', undefined);
  if (typeof module.exports !== 'function') {
    throw new TypeError('expecting a function');
  }
  return module.exports;
}

exports.check = function (name, code) {
  compile(name, code);
};

exports.define = function (name, code) {
  functions.set(name, { run: compile(name, code), self: { name } });
};

// Calls a function for each array of arguments. The first call that throws ends all.
exports.call = function (name, rows) {
  const { run, self } = functions.get(name);
  warnings = [];
  return [rows.map((row) => run.apply(self, row)), warnings];
};
