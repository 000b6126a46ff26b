// A router that shows the routes of a service, with a page of our own.
'use strict';

const path = require('path');
const { HttpError } = require('persea/foxx/errors');
const { Router } = require('persea/foxx/router');

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }
details { border: 1px solid #ccc; border-radius: 4px; margin: .5rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } code { font-size: 14px; } pre { background: #f5f5f5; overflow: auto; padding: .6rem; }
.method { display: inline-block; font-weight: bold; min-width: 4.5rem; text-transform: uppercase; }
.deprecated { text-decoration: line-through; } table { border-collapse: collapse; } td, th { padding: .2rem .8rem .2rem 0; text-align: left; }
</style>
</head>
<body>
<h1 id="title">API</h1>
<p id="description"></p>
<div id="routes"></div>
<script>
function add(parent, name, text) {
  const element = parent.appendChild(document.createElement(name));
  if (text !== undefined) element.textContent = text;
  return element;
}
function table(parent, head, rows) {
  if (rows.length === 0) return;
  const body = add(parent, 'table');
  const line = add(body, 'tr');
  head.forEach((text) => add(line, 'th', text));
  for (const row of rows) {
    const cells = add(body, 'tr');
    row.forEach((text) => add(cells, 'td', text));
  }
}
fetch('swagger.json').then((reply) => reply.json().then((api) => {
  if (!reply.ok) throw new Error(api.errorMessage);
  document.title = api.info.title;
  document.getElementById('title').textContent = api.info.title + ' ' + api.info.version;
  document.getElementById('description').textContent = api.info.description;
  for (const path of Object.keys(api.paths)) {
    for (const method of Object.keys(api.paths[path])) {
      const route = api.paths[path][method];
      const details = add(document.getElementById('routes'), 'details');
      const summary = add(details, 'summary');
      add(summary, 'span', method).className = 'method';
      add(summary, 'code', api.basePath + path).className = route.deprecated ? 'deprecated' : '';
      add(summary, 'span', route.summary ? ' ' + route.summary : '');
      if (route.description) add(details, 'p', route.description);
      table(details, ['parameter', 'in', 'type', 'required', 'description'], route.parameters.map((one) =>
        [one.name, one.in, one.type || '', one.required ? 'yes' : 'no', one.description || '']));
      route.parameters.filter((one) => one.schema).forEach((one) => add(details, 'pre', JSON.stringify(one.schema, null, 2)));
      table(details, ['status', 'reply'], Object.keys(route.responses).map((status) => [status, route.responses[status].description]));
    }
  }
})).catch((error) => add(document.getElementById('routes'), 'p', String(error)));
</script>
</body>
</html>
`;

// Returns the options of an argument: an object, a function `before`, or the folder of other assets.
function optionsOf(given) {
  return typeof given === 'function' ? { before: given } : typeof given === 'string' ? { swaggerRoot: given } : { ...given };
}

// Returns a handler for a path with "*" at its end.
function handler(context, given) {
  const defaults = { mount: context.mount, indexFile: 'index.html', ...optionsOf(given) };
  return (req, res) => {
    const result = defaults.before === undefined ? undefined : defaults.before(req, res, { ...defaults });
    if (result === false) {
      return;
    }
    const options = result !== null && typeof result === 'object' ? { ...defaults, ...result } : defaults;
    show(req, res, options);
  };
}

function show(req, res, { mount, indexFile, swaggerRoot }) {
  const { suffix } = req;
  if (suffix === '' && !req.path.endsWith('/')) {
    // The page's own links begin at its folder.
    res.redirect(301, `${req.path.split('/').pop()}/`);
    return;
  }
  if (suffix === 'swagger.json') {
    res.json(require('persea/foxx/api-description').describe(require('persea/foxx/service').load(mount)));
    return;
  }
  const name = suffix === '' ? indexFile : suffix;
  if (swaggerRoot !== undefined) {
    res.sendFile(path.join(swaggerRoot, path.join('/', decodeURIComponent(name))));
    return;
  }
  if (name !== indexFile) {
    throw new HttpError(404, `unknown path '${req.path}'`);
  }
  res.set('content-type', 'text/html; charset=utf-8');
  res.body = PAGE;
}

// Returns a router with that handler.
function router(context, given) {
  const made = new Router();
  made.get('/*', handler(context, given)).summary('Documentation of the API');
  return made;
}

module.exports = { handler, router };
