// Functions that only a Foxx service can use.
'use strict';

const { make } = require('persea/error');

// Returns a function that throws: the server has no services.
function missing(name) {
  return () => {
    throw make('ERROR_NOT_IMPLEMENTED', `${name}() needs a Foxx service, and this server has none`);
  };
}

module.exports = { missing };
