// Node.js's `vm`, without contexts.
'use strict';

module.exports = {
  runInThisContext(source, options) {
    const file = options !== null && typeof options === 'object' ? options.filename : options;
    return host.evaluate(String(source), file || 'evalmachine.<anonymous>');
  },
};
