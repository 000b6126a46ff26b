// Routers that answer requests of GraphQL.
'use strict';

const createRouter = require('@arangodb/foxx/router');
const { handler } = require('persea/foxx/graphql');

const BODIES = ['application/json', 'application/graphql', 'application/x-www-form-urlencoded'];

function createGraphQLRouter(options) {
  const handle = handler(options);
  const router = createRouter();
  router.get('/', handle)
    .response(['application/json', 'text/html'])
    .summary('GraphQL')
    .description('Executes a query of GraphQL that the parameters contain.');
  router.post('/', handle)
    .body(BODIES, 'The query, its variables, and the name of its operation.')
    .response(['application/json', 'text/html'])
    .summary('GraphQL')
    .description('Executes a query or a mutation of GraphQL.');
  return router;
}

module.exports = createGraphQLRouter;
