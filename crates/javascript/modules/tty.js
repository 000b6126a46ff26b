// Node.js's `tty`: nothing that a script reads or writes is a terminal.
'use strict';

module.exports = { isatty: () => false };
