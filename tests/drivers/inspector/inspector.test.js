// The official inspector's command line against a server with --mcp.enabled.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const endpoint = process.env.PERSEA_ENDPOINT;
const overHttp = [`${endpoint}/_db/_system/_mcp`, "--transport", "http"];

async function inspect(target, ...options) {
  const { stdout } = await run("node_modules/.bin/mcp-inspector", ["--cli", ...target, ...options], { timeout: 60_000 });
  return JSON.parse(stdout);
}

test("tools are listed, and their schemas are portable", async () => {
  const { tools } = await inspect(overHttp, "--method", "tools/list", "--strict");
  const names = tools.map((tool) => tool.name);
  assert.ok(names.includes("query") && names.includes("describe_schema"), names.join());
});

test("a tool is called", async () => {
  const result = await inspect(overHttp, "--method", "tools/call", "--tool-name", "query",
    "--tool-arg", "aql=FOR p IN people SORT p.age RETURN p.name", "limit=1");
  assert.deepEqual(result.structuredContent.rows, ["Ann"]);
  assert.equal(result.structuredContent.has_more, true);
});

test("resources and prompts are there", async () => {
  const { resources } = await inspect(overHttp, "--method", "resources/list");
  assert.equal(resources[0].uri, "persea://_system/schema");
  const { contents } = await inspect(overHttp, "--method", "resources/read", "--uri", "persea://_system/schema");
  assert.equal(JSON.parse(contents[0].text).database, "_system");
  const { prompts } = await inspect(overHttp, "--method", "prompts/list");
  assert.equal(prompts.length, 3);
});

test("the bridge offers the same over standard input and output", async () => {
  const bridge = [process.env.PERSEA_PROGRAM, "mcp", `--server.endpoint=${endpoint}`, "--server.password="];
  const { tools } = await inspect([...bridge, "--transport", "stdio"], "--method", "tools/list");
  assert.ok(tools.some((tool) => tool.name === "query"));
});
