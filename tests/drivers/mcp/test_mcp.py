"""The official Python SDK of the Model Context Protocol against a server with --mcp.enabled."""

import asyncio
import os

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import PromptReference

ENDPOINT = os.environ["PERSEA_ENDPOINT"]
URL = f"{ENDPOINT}/_db/_system/_mcp"


def over_stdio():
    """Returns the bridge as a client starts it."""
    arguments = ["mcp", "--server.endpoint", ENDPOINT, "--server.password", ""]
    return StdioServerParameters(command=os.environ["PERSEA_PROGRAM"], args=arguments)


WAYS = [
    pytest.param(lambda: (URL, "auto"), "2026-07-28", id="http-auto"),
    pytest.param(lambda: (URL, "2026-07-28"), "2026-07-28", id="http-stateless"),
    pytest.param(lambda: (URL, "legacy"), "2025-11-25", id="http-handshake"),
    pytest.param(lambda: (over_stdio(), "auto"), "2026-07-28", id="stdio-auto"),
    pytest.param(lambda: (over_stdio(), "legacy"), "2025-11-25", id="stdio-handshake"),
]


def run(way, work):
    """Runs a coroutine with a connected client."""

    async def connected():
        target, mode = way()
        async with Client(target, mode=mode) as client:
            return await asyncio.wait_for(work(client), 60)

    return asyncio.run(connected())


@pytest.mark.parametrize("way, revision", WAYS)
def test_the_revision_is_negotiated(way, revision):
    async def work(client):
        assert client.protocol_version == revision

    run(way, work)


@pytest.mark.parametrize("way, revision", WAYS)
def test_tools(way, revision):
    async def work(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"describe_schema", "query", "explain", "validate", "search_text", "traverse"} <= set(tools)
        assert "insert_documents" not in tools
        assert tools["query"].annotations.read_only_hint
        result = await client.call_tool(
            "query", {"aql": "FOR p IN people FILTER p.age > @age RETURN p.name", "bind_vars": {"age": 35}}
        )
        assert not result.is_error
        assert result.structured_content["rows"] == ["Bob"]
        schema = await client.call_tool("describe_schema", {})
        assert schema.structured_content["collections"][0]["name"] == "people"

    run(way, work)


@pytest.mark.parametrize("way, revision", WAYS)
def test_errors_of_tools_are_results(way, revision):
    async def work(client):
        result = await client.call_tool("query", {"aql": "SELECT * FROM people"})
        assert result.is_error
        error = result.structured_content["error"]
        assert error["errorNum"] == 1501 and "SELECT" in error["hint"] and error["line"] == 1
        refused = await client.call_tool("query", {"aql": "INSERT {} INTO people"})
        assert refused.is_error and refused.structured_content["error"]["errorNum"] == 1004
        with pytest.raises(MCPError):
            await client.call_tool("no_such_tool", {})

    run(way, work)


@pytest.mark.parametrize("way, revision", WAYS)
def test_resources_and_prompts(way, revision):
    async def work(client):
        resources = (await client.list_resources()).resources
        assert any(str(resource.uri) == "persea://_system/schema" for resource in resources)
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 2
        sample = await client.read_resource("persea://_system/collection/people/sample")
        assert "Ann" in sample.contents[0].text
        manual = await client.read_resource("persea://manual/aql/collect")
        assert manual.contents[0].text.startswith("# ")
        with pytest.raises(MCPError):
            await client.read_resource("persea://_system/collection/nobody/sample")
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["write_query", "explore_graph", "optimize_query"]
        prompt = await client.get_prompt("write_query", {"question": "How many people are there?"})
        assert "How many people are there?" in prompt.messages[0].content.text
        reference = PromptReference(type="ref/prompt", name="explore_graph")
        completed = await client.complete(reference, {"name": "graph", "value": ""})
        assert completed.completion.values == []

    run(way, work)


# A client that is given a revision asks nothing at the beginning.
@pytest.mark.parametrize("way, revision", [way for way in WAYS if way.id != "http-stateless"])
def test_the_server_introduces_itself(way, revision):
    async def work(client):
        assert client.server_info.name == "persea"
        assert "FILTER" in client.instructions

    run(way, work)
