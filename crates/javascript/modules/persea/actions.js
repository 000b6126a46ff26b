// Transactions whose action is a function: the server runs it within a stream transaction.
'use strict';

const { ArangoError } = require('persea/error');

// Returns the function of an action: a function, or the body of one whose parameter is `params`.
function compile(source) {
  const module = { exports: undefined };
  const load = (text) => host.compileModule(text, 'action').call(undefined, undefined, globalThis.require, module);
  try {
    load('module.exports = ' + source + '\n;');
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    load('module.exports = function (params) {' + source + '\n};');
  }
  if (typeof module.exports !== 'function') {
    throw new TypeError('expecting a function');
  }
  return module.exports;
}

// Returns the result of an action, or the error that it threw.
exports.run = function (source, params) {
  let action;
  try {
    action = compile(source);
  } catch (error) {
    return { invalid: String(error) };
  }
  try {
    return { result: action(params) };
  } catch (error) {
    if (error instanceof ArangoError) {
      return { message: String(error.errorMessage), number: error.errorNum };
    }
    return { message: String(error) };
  }
};
