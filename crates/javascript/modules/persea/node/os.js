// The part of Node.js's `os` that the packages in the program use.
'use strict';

module.exports = { EOL: '\n', platform: () => 'linux', release: () => '' };
