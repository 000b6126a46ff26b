// Foxx: the parts of services, each loaded when it is first used.
'use strict';

for (const [name, module] of Object.entries({ createRouter: 'router', router: 'router', auth: 'auth', graphql: 'graphql',
  manager: 'manager', oauth1: 'oauth1', oauth2: 'oauth2', queues: 'queues', sessions: 'sessions' })) {
  Object.defineProperty(exports, name, { enumerable: true, get: () => require(`@arangodb/foxx/${module}`) });
}
