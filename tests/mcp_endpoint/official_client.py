"""Calls tools with the official client, of either of its major versions; run by test_official_clients.

Reads tasks, each a line of JSON: {url, key, mode, calls: [[tool, arguments]], prompts: [[name, arguments]],
pages: whether it shows some}. For each it connects anew, and writes {version, tools, results, prompts, texts,
pages}, or {error}. The client itself validates every structured result against the tool's outputSchema.
"""

import asyncio
import json
import sys
import traceback
from contextlib import asynccontextmanager
from importlib.metadata import version


@asynccontextmanager
async def second_version(url, mode, pages=False, **http_options):
    import httpx2
    from mcp import Client
    from mcp.client.extension import advertise
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(**http_options) as http,
        Client(
            streamable_http_client(url, http_client=http),
            mode=mode,
            extensions=[advertise(*PAGES)] if pages else None,
        ) as client,
    ):
        yield client, client.protocol_version


@asynccontextmanager
async def first_version(url, mode, pages=False, **http_options):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with (
        streamablehttp_client(url, **http_options) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        agreed = await session.initialize()
        yield session, agreed.protocolVersion


PATIENCE_SECONDS = 600
PAGES = ("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
FIRST = version("mcp").startswith("1.")
connected = first_version if FIRST else second_version


async def main(url, key, mode, calls, prompts, pages):
    headers = {"Authorization": f"Bearer {key}"}
    async with connected(url, mode, pages, headers=headers) as (client, agreed):
        listed = await client.list_tools()
        results = [await client.call_tool(tool, arguments) for tool, arguments in calls]
        offered = await client.list_prompts()
        got = [await client.get_prompt(name, arguments) for name, arguments in prompts]
        resources = (await client.list_resources()).resources if pages else []
        read = [await client.read_resource(resource.uri) for resource in resources]
    return {
        "version": agreed,
        "tools": [tool.model_dump(by_alias=True, mode="json")["name"] for tool in listed.tools],
        "results": [result.model_dump(by_alias=True, mode="json") for result in results],
        "prompts": [prompt.name for prompt in offered.prompts],
        "pages": [page.contents[0].text for page in read],
        "texts": [prompt.messages[0].content.text for prompt in got],
    }


def carry_out_tasks(main):
    for line in sys.stdin:
        print(json.dumps(outcome(main, json.loads(line))), flush=True)


def outcome(main, task):
    try:
        return asyncio.run(asyncio.wait_for(main(**task), PATIENCE_SECONDS))
    except Exception:
        return {"error": traceback.format_exc()}


if __name__ == "__main__":
    carry_out_tasks(main)
