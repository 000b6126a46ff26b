/** Programs for `/_admin/execute` that run an input and tell all that came of it. */
import type { Call } from '../lib/call'

/** What came of an input. */
export interface Outcome {
  /** Lines that `print` and `console` wrote. */
  printed: string[]
  /** The result as text; absent if it is undefined. */
  shown?: string
  error?: string
}

/** Characters of a result that come back. */
const MOST_CHARACTERS = 100_000
const MOST_LINES = 2000

/**
 * Returns the call that runs an input.
 *
 * `eval` gives the value of the last statement, as a prompt shows it. An input that begins with a
 * brace is an object, if it can be one.
 */
export function callOf(input: string): Call {
  const text = `const { inspect } = require("internal");
const printed = [];
const textOf = (value) => (typeof value === "string" ? value : inspect(value)).slice(0, ${MOST_CHARACTERS});
globalThis.print = (...values) => {
  if (printed.length < ${MOST_LINES}) printed.push(values.map(textOf).join(" "));
};
globalThis.console = Object.fromEntries(["log", "info", "warn", "error", "debug"].map((name) => [name, print]));
const input = ${JSON.stringify(input)};
const run = () => {
  if (!/^\\s*\\{/.test(input)) return (0, eval)(input);
  try {
    Function("return (" + input + "\\n)");
  } catch {
    return (0, eval)(input);
  }
  return (0, eval)("(" + input + "\\n)");
};
try {
  const result = run();
  const rows = typeof result?.toArray === "function" && "_hasMore" in result ? result.toArray() : result;
  return rows === undefined ? { printed } : { printed, shown: inspect(rows).slice(0, ${MOST_CHARACTERS}) };
} catch (error) {
  const name = error?.errorNum === undefined ? "" : "ArangoError " + error.errorNum + ": ";
  return { printed, error: name + (error?.errorNum === undefined ? String(error) : error.errorMessage) };
}`
  return { method: 'POST', path: '/_admin/execute', text, headers: { 'content-type': 'text/javascript' } }
}

/** Returns a short call for other clients, whose reply is the result in JSON. */
export function shortCallOf(input: string): Call {
  return { method: 'POST', path: '/_admin/execute', text: `return eval(${JSON.stringify(input)})`, headers: { 'content-type': 'text/javascript' } }
}

/** Returns the reason why the server runs no programs of the user, by the status of its reply to an empty one. */
export function refusal(status: number): string {
  if (status >= 200 && status < 300) return ''
  if (status === 404) return 'This server runs no JavaScript of its users: it was started without --javascript.allow-admin-execute. The program `persea shell` is a shell beside the server.'
  if (status === 401 || status === 403) return 'Only users who may write the database may run JavaScript in the server.'
  return `The server refuses programs with status ${status}.`
}

/** Returns the text of a result without the spaces that end its lines. */
export function trimmed(text: string): string {
  return text.replaceAll(/ +$/gm, '')
}
