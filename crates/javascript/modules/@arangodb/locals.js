// The context of the service that a script belongs to. A script without a service has none.
'use strict';

module.exports = { context: undefined };
