// The context of the service that a script belongs to. A script without a service has none: the
// loader gives the files of a service this module with its context.
'use strict';

module.exports = { context: undefined };
