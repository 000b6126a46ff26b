// The page on which a person tries queries of a GraphQL router.
'use strict';

const STYLE = `body { font: 14px sans-serif; margin: 1em; display: grid; grid-template-columns: 1fr 1fr; gap: 1em; }
textarea, pre { font: 13px monospace; box-sizing: border-box; width: 100%; margin: 0; }
#query { height: 60vh; } #variables { height: 15vh; }
pre { border: 1px solid #ccc; padding: .5em; overflow: auto; height: 80vh; }`;

const SCRIPT = `
const field = (id) => document.getElementById(id);
field('query').value = initial.query || '';
field('variables').value = initial.variables || '';
async function run() {
  const reply = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: field('query').value, variables: field('variables').value, operationName: initial.operationName }),
  });
  const text = await reply.text();
  try {
    field('result').textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    field('result').textContent = text;
  }
}
field('run').onclick = run;`;

// Returns a value as a literal of a script in a page: no text of it ends the script.
function literal(value) {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// Returns the page, with a query in it if there is one. A person runs it: a link must not.
function page({ query, variables, operationName }) {
  const shown = typeof variables === 'string' || variables === undefined ? variables : JSON.stringify(variables);
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>GraphQL</title><style>${STYLE}</style></head>
<body>
<div>
<label for="query">Query</label><textarea id="query" spellcheck="false"></textarea>
<label for="variables">Variables</label><textarea id="variables" spellcheck="false"></textarea>
<button id="run">Run</button>
</div>
<pre id="result"></pre>
<script>const initial = ${literal({ query, variables: shown, operationName })};${SCRIPT}
</script>
</body>
</html>
`;
}

module.exports = page;
