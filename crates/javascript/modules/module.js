// Node.js's `module`: the class of modules, and the names of those in the program.
'use strict';

const Module = module.constructor;

Module.builtinModules = host.moduleNames();
Module.isBuiltin = (name) => Module.builtinModules.includes(String(name).replace(/^node:/, ''));
Module.Module = Module;

module.exports = Module;
